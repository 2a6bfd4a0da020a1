import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import SQLiteStorage

/// How much of the writer's time building takes.
@Suite("The pace of building indexes")
struct BuildingPaceTests {
    private func span(worked: Double, pause: Double?) -> Duration {
        ObjectWriter.buildingSpan(
            worked: .milliseconds(worked),
            pause: pause.map { .milliseconds($0) },
            limit: .milliseconds(5)
        )
    }

    @Test("a transaction under load builds for an eighth of what it and the last commit took")
    func underLoad() {
        #expect(span(worked: 8, pause: nil) == .milliseconds(1))
        #expect(span(worked: 8, pause: 0) == .milliseconds(1))
        #expect(span(worked: 80, pause: 1) == .milliseconds(10))
    }

    @Test("at two writes a second each takes a whole step along, and no more")
    func slowly() {
        #expect(span(worked: 1, pause: 500) == .milliseconds(5))
        #expect(span(worked: 1, pause: 20) == .milliseconds(5))
        #expect(span(worked: 1, pause: 19) == .milliseconds(4.75))
        #expect(span(worked: 1, pause: 4) == .milliseconds(1))
    }

    @Test("another application's write has its turn between two steps of building")
    func otherApplication() async throws {
        var limits = StoreLimits()
        limits.buildStep = .zero
        let gate = BuildingSwitch()
        let queued = try Mailbox<Bool>()
        let begun = BuildingSwitch()
        let hook: @Sendable (Int64) -> Bool = { _ in
            guard gate.isOpen else { return false }
            if !begun.isOpen {
                begun.open()
                _ = try? queued.next("the other's write")
            }
            return true
        }
        let room = try StoreRoom(limits: limits, building: hook)
        for n in 0..<100 { _ = try await room.create(.chat, [("n", .int(Int64(n)))]) }
        let second = StoreRoom.application("second")
        try room.applications.create(second)
        let other = try room.applications.store(of: second)
        _ = try await room.store.commit(.setIndexes(.chat, added: [.named("n")], removed: []))
        let wasBuilt = try Mailbox<Bool>()
        let store = room.store
        room.told.onFirst { wasBuilt.put(store.isBuilt(.chat)) }
        gate.open()
        let deadline = Deadline()
        while !begun.isOpen {
            try #require(!deadline.hasPassed)
            room.store.tend()
            await Task.yield()
        }
        let write = Task {
            try await other.commit(
                .create(className: .chat, changes: [], acl: nil, by: .administrator)
            )
        }
        while other.queuedCount == 0 {
            try #require(!deadline.hasPassed)
            await Task.yield()
        }
        queued.put(true)
        _ = try await write.value
        #expect(try wasBuilt.all() == [false])
        try await room.store.untilBuilt(.chat)
    }
}
