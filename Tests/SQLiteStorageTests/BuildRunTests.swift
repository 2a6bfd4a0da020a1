import HatoTesting
import HatoWire
import SQLStorage
import Synchronization
import Testing

@testable import ObjectModel
@testable import SQLiteStorage

/// Keys that are collected first and written in order later.
@Suite("Runs of index building")
struct BuildRunTests {
    private func keys(_ whole: [UInt8], elements: [[UInt8]] = []) -> FieldKeys {
        FieldKeys(whole: whole, elements: elements, places: [], isOverfull: false)
    }

    private func all(_ run: inout BuildRun) -> [BuildRun.Key] {
        var keys: [BuildRun.Key] = []
        while let key = run.takeNext() { keys.append(key) }
        return keys
    }

    @Test("keys come in the order in which the file keeps them, whatever their first bytes are")
    func order() {
        var random = SeededGenerator(seed: 7)
        var run = BuildRun(number: 1, after: 0)
        var expected: [(kind: Int64, key: [UInt8], row: Int64)] = []
        for row in Int64(1)...300 {
            // Few letters and all lengths: many keys begin alike, and some are equal.
            let key = { (random: inout SeededGenerator) -> [UInt8] in
                (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    [0, 1, 0xFF].randomElement(using: &random) ?? 0
                }
            }
            let whole = key(&random)
            let elements = Array(Set([key(&random), key(&random)]))
            run.add(keys(whole, elements: elements), row: row, isPublic: row % 2 == 0)
            expected.append((0, whole, row))
            for element in elements { expected.append((1, element, row)) }
        }
        expected.sort { one, other in
            if one.kind != other.kind { return one.kind < other.kind }
            if one.key != other.key { return one.key.lexicographicallyPrecedes(other.key) }
            return one.row < other.row
        }
        run.sort(isLast: true)
        let got = all(&run)
        #expect(got.map(\.row) == expected.map(\.row))
        #expect(got.map(\.entry.key) == expected.map(\.key))
        #expect(got.map(\.entry.kind.rawValue) == expected.map(\.kind))
        #expect(got.allSatisfy { $0.isPublic == ($0.row % 2 == 0) })
    }

    @Test(
        "an object that has changed since it was collected is left out, one behind the run is not"
    )
    func leavingOut() {
        var run = BuildRun(number: 1, after: 10)
        for row in Int64(11)...13 { run.add(keys([UInt8(row)]), row: row, isPublic: true) }
        run.leaveOut(row: 12)
        run.leaveOut(row: 14)
        run.add(keys([14]), row: 14, isPublic: true)
        run.sort(isLast: true)
        run.leaveOut(row: 13)
        #expect(all(&run).map(\.row) == [11, 14])
    }

    @Test(
        "an index stays exact while objects change between any two steps, and over restarts",
        arguments: 0..<4
    )
    func steps(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let folder = try TemporaryFolder()
        var limits = StoreLimits()
        // A step reads one slice or writes one, a run holds some slices.
        limits.buildStep = .zero
        limits.buildRunBytes = [1_000, 2_000, 4_000, 6_000][seed % 4]
        var ids: [Text] = []
        do {
            let room = try StoreRoom(folder: folder, limits: limits)
            for n in 0..<700 { ids.append(try await room.create(.chat, fields(n))) }
            let paths = [FieldPath.named("n"), .named("tags")]
            _ = try await room.store.commit(.setIndexes(.chat, added: paths, removed: []))
        }
        var lives = 0
        var isBuilt = false
        while !isBuilt {
            lives += 1
            try #require(lives < 100)
            // Each life does a few steps of the building, and ends between two of them.
            let gate = StepCounter(.random(in: 8...24, using: &random))
            let room = try StoreRoom(folder: folder, limits: limits, building: { _ in gate.take() })
            while gate.isLeft, !isBuilt {
                for _ in 0..<3 { try await change(&ids, in: room, using: &random) }
                isBuilt = room.store.isBuilt(.chat)
            }
            for _ in 0..<6 { try await change(&ids, in: room, using: &random) }
            #expect(try await room.store.verify().isEmpty)
        }
        #expect(lives > 2)
        let room = try StoreRoom(folder: folder, limits: limits)
        #expect(try await room.store.verify().isEmpty)
        #expect(try await room.store.report(of: .chat)?.objectCount == ids.count)
    }

    private func fields(_ n: Int) -> [(Text, Value)] {
        let tags = Value.array([.int(Int64(n % 3)), .text("t"), .int(Int64(n % 5))])
        return [("n", .int(Int64(n * 7_919 % 101))), ("tags", n % 4 == 0 ? tags : .text("one"))]
    }

    private func change(
        _ ids: inout [Text],
        in room: StoreRoom,
        using random: inout SeededGenerator
    ) async throws {
        let place = Int.random(in: 0..<ids.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            ids.append(try await room.create(.chat, fields(.random(in: 0..<999, using: &random))))
        case 1: try await room.delete(ids.remove(at: place), by: .administrator)
        case 2:
            try await room.update(
                ids[place],
                [("other", .int(1))],
                acl: .only("u1"),
                by: .administrator
            )
        case 3: try await room.update(ids[place], [("other", .int(2))], by: .administrator)
        default:
            let fields = fields(.random(in: 0..<999, using: &random))
            try await room.update(ids[place], fields, by: .administrator)
        }
    }
}

/// Lets so many steps be done.
private final class StepCounter: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    var isLeft: Bool { left.load(ordering: .relaxed) > 0 }

    func take() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 }
}
