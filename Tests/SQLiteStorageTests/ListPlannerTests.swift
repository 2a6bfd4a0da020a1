import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

/// How many documents a list looks at, to match or to sort: what its plan is worth.
@Suite("Plans of lists with indexes")
struct ListPlannerTests {
    private static let objectCount = 3_000

    // 3,000 objects: `n` counts, `group` is one of ten, `rare` is on every 500th, `odd` is not
    // indexed. Every 100th is readable by `few` alone, every other 100th by nobody.
    private func room() async throws -> StoreRoom {
        var limits = StoreLimits()
        limits.slowRows = 1
        limits.slowLists = .max
        let room = try StoreRoom(limits: limits)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for n in 0..<ListPlannerTests.objectCount {
                var fields: [(Text, Value)] = [
                    ("n", .int(Int64(n))), ("group", .int(Int64(n % 10))),
                    ("odd", .bool(n % 2 == 1)),
                ]
                if n % 500 == 0 { fields.append(("rare", .bool(true))) }
                let acl: ACL? = n % 100 == 0 ? .only("few") : n % 100 == 50 ? ACL() : nil
                _ = try await room.create(.chat, fields, acl: acl)
            }
            try await group.waitForAll()
        }
        let paths = (["n", "group", "rare"] as [Text]).map { FieldPath.named($0) }
        _ = try await room.store.commit(.setIndexes(.chat, added: paths, removed: []))
        try await room.store.untilBuilt(.chat)
        return room
    }

    /// Lists, and returns the numbers with how many documents were looked at for them.
    private func list(
        _ room: StoreRoom,
        _ filter: Filter,
        order: [OrderTerm] = [],
        limit: Int = 10,
        skip: Int = 0,
        as principal: Principal = .stranger
    ) async throws -> (numbers: [Int], examined: Int64) {
        let before = room.store.slowFilters(of: .chat).reduce(0) { $0 + $1.examinedRows }
        let list = try await room.list(
            filter,
            order: order,
            limit: limit,
            skip: skip,
            as: principal
        )
        let after = room.store.slowFilters(of: .chat).reduce(0) { $0 + $1.examinedRows }
        return (list.numbers, after - before)
    }

    private func visible(to few: Bool = false) -> [Int] {
        (0..<ListPlannerTests.objectCount).filter { $0 % 50 != 0 || few && $0 % 100 == 0 }
    }

    @Test("keys that decide spare every look at a document")
    func decisiveKeys() async throws {
        let room = try await room()
        let seven = Filter.field("group", .equal(.int(7)))
        let sevens = visible().reversed().filter { $0 % 10 == 7 }
        let found = try await list(room, seven, skip: 5)
        #expect(found.numbers == Array(sevens.dropFirst(5).prefix(10)))
        #expect(found.examined == 0)

        let few = try await list(
            room,
            .field("group", .equal(.int(0))),
            limit: 1_000,
            as: .user("few")
        )
        #expect(few.numbers == visible(to: true).reversed().filter { $0 % 10 == 0 })
        #expect(few.examined == 0)

        let range = Filter.all([
            .field("n", .greaterOrEqual(.int(100))), .field("n", .less(.int(200))),
        ])
        let middle = try await list(room, range, order: [.ascending("n")], limit: 1_000)
        #expect(middle.numbers == visible().filter { (100..<200).contains($0) })
        #expect(middle.examined == 0)
    }

    @Test("an order that an index keeps is walked, however deep the page is")
    func orders() async throws {
        let room = try await room()
        for order in [[OrderTerm.ascending("n")], [.descending("n"), .ascending("createDate")]] {
            let page = try await list(room, .all([]), order: order, skip: 2_000)
            let all = order[0].isDescending ? visible().reversed() : visible()
            #expect(page.numbers == Array(all.dropFirst(2_000).prefix(10)))
            #expect(page.examined == 0)
        }
        let odd = Filter.field("odd", .equal(.bool(true)))
        let page = try await list(room, odd, order: [.ascending("n")])
        #expect(page.numbers == Array(visible().filter { $0 % 2 == 1 }.prefix(10)))
        #expect(page.examined <= 25)
    }

    @Test("of several conditions the index with the fewest keys is walked")
    func severalConditions() async throws {
        let room = try await room()
        let filter = Filter.all([
            .field("group", .equal(.int(0))), .field("rare", .equal(.bool(true))),
            .field("odd", .equal(.bool(false))),
        ])
        let found = try await list(room, filter, as: .user("few"))
        #expect(found.numbers == [2_500, 2_000, 1_500, 1_000, 500, 0])
        #expect(found.examined <= 6)
    }

    @Test("a range that takes nearly all is not collected before a scan can end early")
    func wideRange() async throws {
        let room = try await room()
        let found = try await list(room, .field("n", .greaterOrEqual(.int(3))))
        #expect(found.numbers == Array(visible().reversed().prefix(10)))
        #expect(found.examined <= 250)
        let old = try await list(room, .field("n", .less(.int(5))))
        #expect(old.numbers == [4, 3, 2, 1])
        #expect(old.examined <= 10)
    }

    @Test("keys of the one condition are not counted when everybody sees many objects")
    func onlyCondition() throws {
        let rows = ClassRows(classNumber: 1)
        let index = FieldIndex(number: 1, path: .named("group"), isDeclared: true, built: .max)
        func plan(_ filter: Filter, publicIsWide: Bool) throws -> (walk: String, counted: Int) {
            var counted = 0
            let query = Query(className: .chat, filter: filter)
            let planner = ListPlanner(
                ListCompiler(
                    SQLiteDialect(),
                    query,
                    rows: rows,
                    scope: .keys(["*"])
                ),
                query,
                PlannerLimits(),
                number: { _ in
                    counted += 1
                    return 1
                },
                hasElements: { _ in false },
                seesMany: { publicIsWide },
                everybodySeesMany: { publicIsWide }
            )
            let plan = try planner.plan([index])
            guard case .keys = plan.page else { return ("other", counted) }
            return ("keys", counted)
        }
        let one = Filter.field("group", .equal(.int(1)))
        #expect(try plan(one, publicIsWide: true) == ("keys", 0))
        #expect(try plan(one, publicIsWide: false) == ("keys", 1))
        // Keys of a range don't come in the order of rows.
        let range = Filter.field("group", .greaterOrEqual(.int(1)))
        #expect(try plan(range, publicIsWide: true) == ("keys", 1))
        let pair = Filter.all([one, .field("other", .equal(.int(1)))])
        #expect(try plan(pair, publicIsWide: true) == ("keys", 0))
    }
}
