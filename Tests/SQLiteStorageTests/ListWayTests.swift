import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Synchronization
import Testing

@testable import SQLiteStorage

/// How lists come by their rows, where what they looked at does not tell.
@Suite("Ways of lists")
struct ListWayTests {
    private final class Ways: Sendable {
        private let walks = Mutex<[ListPlanner.Compiler.Walk]>([])

        func note(_ way: ListWay) {
            if case .rows(let walk) = way { walks.withLock { $0.append(walk) } }
        }

        var last: ListPlanner.Compiler.Walk? { walks.withLock { $0.last } }
    }

    /// One list thread, so that what it remembers counts; more than two visible objects are many.
    private func limits(memory: Duration) -> StoreLimits {
        var limits = StoreLimits()
        limits.listThreads = 1
        limits.planner.visibleRows = 2
        limits.planner.fewRows = 0
        limits.planner.visibilityMemory = memory
        return limits
    }

    @Test(
        "that everybody sees many objects is remembered for a while, and decides about no answer",
        arguments: [(Duration.seconds(3_600), true), (.zero, false)]
    )
    func visibility(memory: Duration, isRemembered: Bool) async throws {
        let ways = Ways()
        let room = try StoreRoom(limits: limits(memory: memory), listing: ways.note)
        var ids: [Text] = []
        for n in 0..<3 { ids.append(try await room.create(.chat, [("n", .int(Int64(n)))])) }
        let filter = Filter.field("n", .greaterOrEqual(.int(0)))
        #expect(try await room.list(filter, as: .user("u")).numbers == [2, 1, 0])
        #expect(ways.last == .scan)
        try await room.delete(ids[0])
        #expect(try await room.list(filter, as: .user("u")).numbers == [2, 1])
        #expect(ways.last == (isRemembered ? .scan : .visible))
    }

    @Test(
        "a filter with a pattern goes by its index, by what its asker sees, or by an order's index"
    )
    func patterns() async throws {
        let ways = Ways()
        let room = try StoreRoom(limits: limits(memory: .zero), listing: ways.note)
        for n in 0..<6 {
            let acl: ACL? = n < 2 ? .readable(by: "u") : n == 2 ? nil : .only("many")
            let fields: [(Text, Value)] = [
                ("n", .int(Int64(n))), ("s", .text("ab")), ("o", .int(1)),
            ]
            _ = try await room.create(.chat, fields, acl: acl)
        }
        _ = try await room.store.commit(.setIndexes(.chat, added: [.named("n")], removed: []))
        try await room.store.untilBuilt(.chat)
        let pattern = Filter.field("s", .matches(try Pattern("a")))
        let few = try await room.list(pattern, as: .user("nobody"))
        #expect(few.numbers == [2])
        #expect(ways.last == .visible)
        let many = try await room.list(pattern, as: .user("many"))
        #expect(many.numbers == [5, 4, 3, 2])
        #expect(ways.last == .scan)
        let ordered = try await room.list(pattern, order: [.ascending("n")], as: .user("many"))
        #expect(ordered.numbers == [2, 3, 4, 5])
        guard case .ordered = ways.last else {
            Issue.record("not along the order: \(String(describing: ways.last))")
            return
        }
        // With an index, however few objects the asker sees.
        let both = Filter.all([pattern, .field("n", .less(.int(4)))])
        #expect(try await room.list(both, as: .user("nobody")).numbers == [2])
        guard case .keys = ways.last else {
            Issue.record("not by the index: \(String(describing: ways.last))")
            return
        }
    }

    @Test("a list whose time is over ends inside a large document, and only there")
    func largeDocument() async throws {
        let room = try StoreRoom()
        let elements = (0..<2_000).map { Value.text(Text("element \($0)")) }
        _ = try await room.create(.named("Small"), [("tags", .array(Array(elements.prefix(3))))])
        _ = try await room.create(.named("Large"), [("tags", .array(elements))])
        let snapshot = StoreSnapshot(path: room.store.path, ClassDirectory())
        func list(_ number: Int64, _ name: Text) throws -> ObjectList {
            // Fresh, so that SQLite itself has made too few steps to look at the clock.
            let session = try ListSession.alone(snapshot)
            let request = ListRequest(
                Query(
                    className: .named(name),
                    filter: .field("tags", .matches(try Pattern("none")))
                ),
                record: ClassRecord(
                    rows: ClassRows(classNumber: number),
                    settings: ClassSettings()
                ),
                policy: AccessPolicy(principal: .administrator, settings: ClassSettings()),
                limits: StoreLimits()
            )
            return try session.list(request, in: .bare, isOver: { true })
        }
        #expect(try list(1, "Small").json.isEmpty)
        let refusal = DomainError(
            .unavailable,
            cause: "the list's time was over in a document"
        )
        #expect(throws: refusal) { try list(2, "Large") }
    }
}
