import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

@Suite("Indexes that the server makes by itself")
struct IndexAdvisorTests {
    private func limits() -> StoreLimits {
        var limits = StoreLimits()
        limits.slowRows = 50
        limits.slowLists = 3
        return limits
    }

    private func note(
        _ advisor: IndexAdvisor,
        _ filter: Filter,
        order: [OrderTerm] = [],
        rows: Int = 100
    ) {
        let query = Query(className: .chat, filter: filter, order: order)
        advisor.note(query, ListCost(examinedRows: rows, duration: .milliseconds(7)), [])
    }

    @Test("the field of a filter that is slow again and again is advised once")
    func advises() {
        let advisor = IndexAdvisor(limits())
        let filter = Filter.field("room", .equal(.text("a")))
        note(advisor, filter)
        note(advisor, filter, rows: 49)
        note(advisor, filter)
        #expect(advisor.takeAdvice().isEmpty)
        note(advisor, filter)
        note(advisor, filter)
        #expect(advisor.takeAdvice().map(\.1) == [.named("room")])
        note(advisor, filter)
        #expect(advisor.takeAdvice().isEmpty)
    }

    @Test("a value counts more than a range, a range more than the order, and ids have their own")
    func prefers() {
        let value = Filter.field("room", .equal(.text("a")))
        let range = Filter.field("n", .greater(.int(1)))
        let id = Filter.field("objectId", .equal(.text("a")))
        let other = Filter.field("m", .notEqual(.int(1)))
        let order = [OrderTerm.descending("score")]
        for (filter, path) in [
            (Filter.all([range, value]), "room"), (.all([other, range]), "n"), (other, "score"),
            (.all([]), "score"), (id, "score"),
        ] as [(Filter, Text)] {
            let advisor = IndexAdvisor(limits())
            for _ in 0..<3 { note(advisor, filter, order: order) }
            #expect(advisor.takeAdvice().map(\.1) == [.named(path)])
        }
    }

    @Test(
        "nothing is advised when the application does not want it, and slow filters are still told"
    )
    func off() {
        let advisor = IndexAdvisor(limits())
        advisor.setOn(false)
        let secret = Filter.all([
            .field("room", .equal(.text("secret"))), .field("n", .less(.int(3))),
        ])
        for _ in 0..<5 { note(advisor, secret, order: [.descending("n")]) }
        #expect(advisor.takeAdvice().isEmpty)
        let slow = advisor.slowFilters(of: .chat)
        #expect(slow.map(\.shape) == ["room = ?, n < ? order -n"])
        #expect(slow.map(\.lists) == [5])
        #expect(slow.map(\.examinedRows) == [500])
        #expect(advisor.slowFilters(of: .user).isEmpty)
    }

    @Test("a store makes the index, and the filter looks at no more than it finds")
    func makes() async throws {
        let room = try StoreRoom(limits: limits())
        for n in 0..<200 {
            _ = try await room.create(
                .chat,
                [("n", .int(Int64(n))), ("room", .int(Int64(n % 50)))]
            )
        }
        let filter = Filter.field("room", .equal(.int(7)))
        let deadline = Deadline()
        while room.store.indexes(of: .chat).isEmpty {
            if deadline.hasPassed { throw TestFailure.malformed("no index is made") }
            #expect(try await room.list(filter).numbers == [157, 107, 57, 7])
        }
        try await room.store.untilBuilt(.chat)
        #expect(room.store.indexes(of: .chat).map(\.isDeclared) == [false])
        #expect(try await room.list(filter).numbers == [157, 107, 57, 7])
    }
}
