import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

/// Declared indexes that some object keeps from being built.
@Suite("Indexes that can't be built")
struct IndexFailureTests {
    private static let tags = FieldPath.named("tags")
    private let many = Value.array((0...1_000).map { .int(Int64($0)) })

    private func declare(_ room: StoreRoom, _ path: FieldPath = tags) async throws {
        _ = try await room.store.commit(.setIndexes(.chat, added: [path], removed: []))
    }

    private func state(_ room: StoreRoom) async throws -> [ClassReport.Index.State] {
        try #require(try await room.store.report(of: .chat)).indexes.map(\.state)
    }

    private func failure(_ id: Text) -> ClassReport.Index.State {
        .failed(IndexFailure(reason: .longArray, objectID: id))
    }

    @Test(
        "a long array that is there fails the index, which is told with the object until it is mended and declared again, after a restart too"
    )
    func longArray() async throws {
        let folder = try TemporaryFolder()
        let id: Text
        do {
            let room = try StoreRoom(folder: folder)
            for n in 0..<30 { _ = try await room.create(.chat, [("n", .int(Int64(n)))]) }
            id = try await room.create(.chat, [("n", .int(30)), ("tags", many)])
            try await declare(room)
            try await room.store.untilBuilt(.chat)
            #expect(try await state(room) == [failure(id)])
            #expect(
                try await room.store.classes() == [
                    ClassSummary(name: .chat, objectCount: 31, failedIndexes: ["tags"])
                ]
            )
        }
        let room = try StoreRoom(folder: folder)
        #expect(try await state(room) == [failure(id)])
        #expect(room.store.indexes(of: .chat).isEmpty)
        #expect(try await room.list(.field("tags", .equal(.int(1_000)))).numbers == [30])
        // It is out of use: it refuses nothing, and the server makes none in its stead.
        let other = try await room.create(.chat, [("n", .int(31)), ("tags", many)])
        _ = try await room.store.commit(.makeIndex(.chat, IndexFailureTests.tags))
        #expect(room.store.indexes(of: .chat).isEmpty)

        try await room.update(id, [("tags", .array([.int(7)]))])
        try await declare(room)
        try await room.store.untilBuilt(.chat)
        #expect(try await state(room) == [failure(other)])
        try await room.delete(other)
        try await declare(room)
        try await room.store.untilBuilt(.chat)
        #expect(try await state(room) == [.ready])
        #expect(try await room.list(.field("tags", .equal(.int(7)))).numbers == [30])
        #expect(try await room.store.verify().isEmpty)
    }

    @Test("a failed index is gone when its declaration is taken back, and counts until then")
    func removed() async throws {
        var limits = StoreLimits()
        limits.declaredIndexes = 1
        let room = try StoreRoom(limits: limits)
        _ = try await room.create(.chat, [("tags", many)])
        try await declare(room)
        try await room.store.untilBuilt(.chat)
        await #expect(throws: DomainError(.invalidValue)) { try await declare(room, .named("n")) }
        _ = try await room.store.commit(
            .setIndexes(.chat, added: [], removed: [IndexFailureTests.tags])
        )
        #expect(try await state(room).isEmpty)
        await #expect(throws: DomainError(.notFound, "tags")) {
            _ = try await room.store.commit(
                .setIndexes(.chat, added: [], removed: [IndexFailureTests.tags])
            )
        }
        try await declare(room, .named("n"))
    }

    @Test("an index that is still being built refuses the arrays that it could not take")
    func refusesWhileBuilding() async throws {
        let room = try StoreRoom(building: { _ in false })
        let culprit = try await room.create(.chat, [("n", .int(1)), ("tags", many)])
        let other = try await room.create(.chat, [("n", .int(2))])
        try await declare(room)
        let refusal = DomainError(.invalidValue, "tags")
        await #expect(throws: refusal) { _ = try await room.create(.chat, [("tags", many)]) }
        await #expect(throws: refusal) { try await room.update(other, [("tags", many)]) }
        let full = Value.array((0..<1_000).map { .int(Int64($0)) })
        try await room.update(other, [("tags", full)])
        // What did not fit before is no worse for another field.
        try await room.update(culprit, [("n", .int(3))])
        try await room.delete(culprit)
        #expect(try await room.list().numbers == [2])
    }

    @Test("a mutation that one index refuses gives up no other")
    func refusalIsWhole() async throws {
        let end = BuildingSwitch()
        let room = try StoreRoom(building: { _ in !end.isOpen })
        let id = try await room.create(.chat, [("n", .int(1)), ("more", .int(1))])
        _ = try await room.store.commit(.makeIndex(.chat, .named("more")))
        try await room.store.untilBuilt(.chat)
        end.open()
        try await declare(room)
        let refusal = DomainError(.invalidValue, "tags")
        let both: [(Text, Value)] = [("tags", many), ("more", many)]
        await #expect(throws: refusal) { _ = try await room.create(.chat, both) }
        await #expect(throws: refusal) { try await room.update(id, both) }
        #expect(room.store.indexes(of: .chat).map(\.path.text) == ["more", "tags"])
    }

    /// An index that is held before its first object, and a key of an object that the database refuses.
    private func roomWithRefusedKey(
        _ gate: BuildingSwitch,
        isDeclared: Bool
    ) async throws -> (StoreRoom, Text) {
        let room = try StoreRoom(building: { _ in gate.isOpen })
        var ids: [Text] = []
        for n in 0..<30 { ids.append(try await room.create(.chat, [("n", .int(Int64(n)))])) }
        let path = FieldPath.named("n")
        _ = try await room.store.commit(
            isDeclared
                ? .setIndexes(.chat, added: [path], removed: []) : .makeIndex(.chat, path)
        )
        let connection = try SQLiteConnection(path: room.store.path, role: .writer)
        let key = OrderedKey(.int(7)).bytes.map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        try connection.execute(
            script: """
                CREATE TRIGGER refusal BEFORE INSERT ON field_key WHEN NEW.key = x'\(key.joined())'
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """
        )
        return (room, ids[7])
    }

    @Test(
        "a key that the database refuses ends the index, not the writes that it is built along with",
        arguments: [true, false]
    )
    func refusedKey(isDeclared: Bool) async throws {
        let gate = BuildingSwitch()
        let (room, id) = try await roomWithRefusedKey(gate, isDeclared: isDeclared)
        gate.open()
        for n in 30..<40 { _ = try await room.create(.chat, [("n", .int(Int64(n)))]) }
        try await room.store.untilBuilt(.chat)
        let refused = ClassReport.Index.State.failed(
            IndexFailure(reason: .refusedKey, objectID: id)
        )
        #expect(try await state(room) == (isDeclared ? [refused] : []))
        #expect(try await room.list().numbers == Array((0..<40).reversed()))
        #expect(try await room.store.verify().isEmpty)
        try SQLiteConnection(path: room.store.path, role: .writer).execute("DROP TRIGGER refusal")
        try await declare(room, .named("n"))
        try await room.store.untilBuilt(.chat)
        #expect(try await state(room) == [.ready])
        #expect(try await room.store.verify().isEmpty)
    }

    @Test("a quiet writer gives such an index up as well")
    func refusedKeyInQuiet() async throws {
        let gate = BuildingSwitch()
        let (room, id) = try await roomWithRefusedKey(gate, isDeclared: true)
        gate.open()
        try await room.store.untilBuilt(.chat)
        #expect(
            try await state(room) == [
                .failed(IndexFailure(reason: .refusedKey, objectID: id))
            ]
        )
    }
}
