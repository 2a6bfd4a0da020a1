import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import SQLiteStorage

@Suite("Reads in turns", .timeLimit(.minutes(10)))
struct ReadTurnTests {
    @Test("a turn's reads see one state until a commit was told to anyone")
    func snapshots() async throws {
        let turns = LoopTurns(loops: 2)
        let room = try StoreRoom(turns: turns)
        let id = try await room.create(.chat, [("n", .int(1))])
        #expect(try room.read(.chat, id)?.contains(#""n":1"#) == true)
        // The turn is still open: its transaction is too old for what was just answered.
        try await room.update(id, [("n", .int(2))])
        #expect(try room.read(.chat, id)?.contains(#""n":2"#) == true)
        turns.endTurn(onLoop: 0)
        turns.endTurn(onLoop: 0)
        #expect(try room.read(.chat, id)?.contains(#""n":2"#) == true)
        turns.endTurn(onLoop: 0)
    }

    @Test("sixteen writers find their own writes on two loops, whoever ends turns when")
    func readsOwnWrites() async throws {
        let turns = LoopTurns(loops: 2)
        let room = try StoreRoom(turns: turns)
        // One queue stands for one loop: a loop's reads and turn ends never overlap.
        let loops = [LoopStandIn(room.store, turns, 0), LoopStandIn(room.store, turns, 1)]
        try await withThrowingTaskGroup { group in
            for writer in 0..<16 {
                group.addTask {
                    for n in 0..<10 {
                        let id = try await room.create(.chat, [("n", .int(Int64(n)))])
                        #expect(try await loops[writer % 2].read(id).contains("\"n\":\(n)}"))
                        try await room.update(id, [("n", .int(Int64(n + 100)))])
                        #expect(
                            try await loops[1 - writer % 2].read(id).contains("\"n\":\(n + 100)}")
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("an idle application's files are closed for another and open again by use")
    func closesIdle() async throws {
        var limits = StoreLimits()
        limits.openApplications = 2
        let room = try StoreRoom(limits: limits)
        let id = try await room.create(.chat, [("n", .int(1))])
        #expect(try room.read(.chat, id) != nil)
        #expect(try await room.list().numbers == [1])
        var stores: [SQLiteStore] = []
        for name in ["second", "third", "fourth"] {
            let application = StoreRoom.application(Text(name))
            try room.applications.create(application)
            stores.append(try room.applications.store(of: application))
            let changes = [FieldChange(name: "n", operation: .set(.int(2)))]
            _ = try await stores.last?.commit(
                .create(className: .chat, changes: changes, acl: nil, by: .stranger)
            )
        }
        // The closing is an order on the writer thread: behind it another one has been done.
        _ = try await stores.last?.commit(.closeSession(tokenHash: [0]))
        #expect(room.applications.openCount <= 2)
        #expect(!room.folder.contains("data/apps/test/objects.db-wal"))

        #expect(try room.read(.chat, id)?.contains(#""n":1"#) == true)
        try await room.update(id, [("n", .int(5))])
        #expect(try room.read(.chat, id)?.contains(#""n":5"#) == true)
        #expect(try await room.list().numbers == [5])
        #expect(room.told.all.filter { $0.className == .chat }.map(\.sequence).suffix(1) == [2])
    }
}

/// Reads on a loop's reader, one after the other, with turns of three reads.
private actor LoopStandIn {
    private let store: SQLiteStore
    private let turns: LoopTurns
    private let index: Int
    private var reads = 0

    init(_ store: SQLiteStore, _ turns: LoopTurns, _ index: Int) {
        self.store = store
        self.turns = turns
        self.index = index
    }

    func read(_ id: Text) throws -> String {
        var output: [UInt8] = []
        let reader = try store.reader(onLoop: index)
        _ = try reader.append(.chat, id, as: .stranger, to: &output)
        reads += 1
        if reads % 3 == 0 { turns.endTurn(onLoop: index) }
        return String(decoding: output, as: UTF8.self)
    }
}
