import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

/// Tasks that are cancelled because nobody waits for their answer any more.
@Suite("Cancelled tasks and the store")
struct ListCancellationTests {
    @Test("a list that waits for a thread when its task is cancelled is never begun")
    func waiting() async throws {
        var limits = StoreLimits()
        limits.listThreads = 1
        let room = try StoreRoom(limits: limits)
        _ = try await room.create(.chat, [("n", .int(1))])
        let first = try GatedList()
        let begun = try Mailbox<Bool>()
        let running = Task {
            try await room.store.list(Query(className: .chat), in: first.envelope, as: .stranger)
        }
        try await first.waitUntilOpened()

        let envelope = ListEnvelope(open: { _, _ in begun.put(true) }, close: { _ in })
        let task = Task {
            try await room.store.list(Query(className: .chat), in: envelope, as: .stranger)
        }
        task.cancel()
        first.gate.put(true)
        #expect(try await running.value.json.isEmpty == false)
        #expect(try await task.unavailability == "nobody waits for the list")
        #expect(try begun.all().isEmpty)
        #expect(try await room.list().numbers == [1])
    }

    @Test("a list that runs when its task is cancelled ends, and its thread takes the next")
    func running() async throws {
        var limits = StoreLimits()
        limits.listThreads = 1
        limits.listDeadline = .seconds(3_600)
        let room = try StoreRoom(limits: limits)
        try await room.fill(count: 1_500)
        let gated = try GatedList()
        let query = Query(
            className: .chat,
            filter: .field("n", .less(.int(-1))),
            limit: 1_000
        )
        let task = Task { try await room.store.list(query, in: gated.envelope, as: .administrator) }
        try await gated.waitUntilOpened()
        task.cancel()
        gated.gate.put(true)
        #expect(try await !task.unavailability.isEmpty)
        #expect(try gated.closed.all().isEmpty, "the list came to its end")
        #expect(try await room.list(limit: 1, as: .administrator).numbers.count == 1)
    }

    @Test("a mutation whose task is cancelled is committed all the same")
    func mutation() async throws {
        let room = try StoreRoom()
        let task = Task { try await room.create(.chat, [("n", .int(7))]) }
        task.cancel()
        let id = try await task.value
        #expect(room.told.all.count == 1)
        #expect(try room.read(.chat, id) != nil)
    }

    @Test("a list that is not wanted any more ends its transaction, whenever that is noticed")
    func transactionsEnd() async throws {
        let room = try StoreRoom()
        try await room.fill(count: 3)
        let snapshot = StoreSnapshot(path: room.store.path, ClassDirectory())
        let session = try ListSession.alone(snapshot)
        let request = ListRequest(
            Query(className: .chat),
            record: ClassRecord(rows: ClassRows(classNumber: 1), settings: ClassSettings()),
            policy: AccessPolicy(principal: .administrator, settings: ClassSettings()),
            limits: StoreLimits()
        )
        // SQLite looks now and then, in one statement or another: each of them is met.
        for _ in 0..<2_000 { _ = try? session.list(request, in: .bare, isOver: { true }) }
        let list = try session.list(request, in: .bare, isOver: { false })
        #expect(!list.json.isEmpty)
    }
}
