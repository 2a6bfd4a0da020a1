import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

/// Which indexes lists use, and what becomes of the server's own that none does.
@Suite("The use of indexes")
struct IndexUseTests {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour

    /// `n` has an index that the server made, `m` a declared one.
    private func room(
        _ clock: TestClock,
        _ folder: TemporaryFolder? = nil
    ) async throws -> StoreRoom {
        let room = try StoreRoom(folder: folder, clock: clock)
        guard room.store.indexes(of: .chat).isEmpty else { return room }
        for n in 0..<5 {
            let number = Value.int(Int64(n))
            _ = try await room.create(.chat, [("n", number), ("m", number)])
        }
        _ = try await room.store.commit(.makeIndex(.chat, .named("n")))
        _ = try await room.store.commit(.setIndexes(.chat, added: [.named("m")], removed: []))
        try await room.store.untilBuilt(.chat)
        return room
    }

    private func use(_ room: StoreRoom, _ name: Text) async throws {
        _ = try await room.list(.field(name, .equal(.int(3))))
    }

    /// Has the writer look after the store, and waits until it has.
    private func tend(_ room: StoreRoom) async throws {
        room.store.tend()
        // Behind it on the same thread.
        _ = try await room.store.commit(.configureClass(.chat, ClassSettings()))
    }

    private func paths(_ room: StoreRoom) -> [Text] {
        room.store.indexes(of: .chat).map(\.path.text).sorted()
    }

    private func lastUses(_ room: StoreRoom) async throws -> [Timestamp?] {
        try #require(try await room.store.report(of: .chat)).indexes.map(\.lastUsed)
    }

    private func written(_ room: StoreRoom) throws -> [Int64?] {
        let connection = try SQLiteConnection(path: room.store.path, role: .reader)
        let used = try connection.prepare("SELECT used FROM field_index ORDER BY field")
        var all: [Int64?] = []
        while try used.step() { all.append(used.isNull(0) ? nil : used.integer(0)) }
        return all
    }

    @Test("a use is told at once, and written down once an hour")
    func told() async throws {
        let clock = TestClock()
        let room = try await room(clock)
        #expect(try await lastUses(room) == [nil, nil])
        try await use(room, "n")
        #expect(try await lastUses(room) == [nil, clock.now])
        clock.advance(milliseconds: IndexUseTests.hour - 1)
        try await tend(room)
        #expect(try written(room) == [nil, nil])
        clock.advance(milliseconds: 1)
        try await tend(room)
        #expect(try written(room) == [nil, clock.now.millisecondsSinceEpoch])
        let then = clock.now
        clock.advance(milliseconds: IndexUseTests.hour)
        try await tend(room)
        #expect(try await lastUses(room) == [nil, then])
        try await use(room, "m")
        clock.advance(milliseconds: IndexUseTests.hour)
        try await tend(room)
        #expect(try await lastUses(room) == [clock.now, then])
    }

    @Test(
        "the server's own index goes when no list has used it for thirty days, a declared one stays"
    )
    func unused() async throws {
        let clock = TestClock()
        let room = try await room(clock)
        clock.advance(milliseconds: 30 * IndexUseTests.day - IndexUseTests.hour)
        try await tend(room)
        #expect(paths(room) == ["m", "n"])
        clock.advance(milliseconds: IndexUseTests.hour)
        try await tend(room)
        #expect(paths(room) == ["m"])
        #expect(try await room.list(.field("n", .equal(.int(3)))).numbers == [3])
        #expect(try await room.store.verify().isEmpty)
    }

    @Test("a list keeps the server's own index for another thirty days")
    func used() async throws {
        let clock = TestClock()
        let room = try await room(clock)
        clock.advance(milliseconds: 29 * IndexUseTests.day)
        try await use(room, "n")
        try await tend(room)
        clock.advance(milliseconds: 29 * IndexUseTests.day)
        try await tend(room)
        #expect(paths(room) == ["m", "n"])
        clock.advance(milliseconds: IndexUseTests.day)
        try await tend(room)
        #expect(paths(room) == ["m"])
    }

    @Test("a use outlives a restart, and an index is watched for a day before it goes")
    func restart() async throws {
        let clock = TestClock()
        let folder = try TemporaryFolder()
        var then = clock.now
        do {
            let room = try await room(clock, folder)
            try await use(room, "n")
            then = clock.now
        }
        clock.advance(milliseconds: 60 * IndexUseTests.day)
        let room = try await room(clock, folder)
        #expect(try await lastUses(room) == [nil, then])
        clock.advance(milliseconds: IndexUseTests.day - 1)
        try await tend(room)
        #expect(paths(room) == ["m", "n"])
        clock.advance(milliseconds: IndexUseTests.hour)
        try await tend(room)
        #expect(paths(room) == ["m"])
    }

    @Test("an index from before it was watched is watched from now on")
    func older() async throws {
        let clock = TestClock()
        let folder = try TemporaryFolder()
        do {
            let room = try await room(clock, folder)
            let connection = try SQLiteConnection(path: room.store.path, role: .writer)
            try connection.execute("UPDATE field_index SET made = NULL, used = NULL")
        }
        let room = try await room(clock, folder)
        clock.advance(milliseconds: 40 * IndexUseTests.day)
        try await tend(room)
        #expect(paths(room) == ["m", "n"])
        clock.advance(milliseconds: 30 * IndexUseTests.day)
        try await tend(room)
        #expect(paths(room) == ["m"])
    }
}
