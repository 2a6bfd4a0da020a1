import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import SQLiteStorage

@Suite("Lists in SQLite")
struct ListTests {
    /// Makes objects with `n` from 0, readable in turn by everybody, a user, a role, both, another
    /// user, and nobody.
    private func fill(_ room: StoreRoom, count: Int) async throws {
        let acls: [ACL] = [
            .everybody, .only("u1"), .readable(by: "role:r"), .only("u1", "role:r"), .only("u2"),
            ACL(),
        ]
        for n in 0..<count {
            let fields: [(Text, Value)] = [("n", .int(Int64(n))), ("even", .bool(n % 2 == 0))]
            _ = try await room.create(.chat, fields, acl: acls[n % acls.count])
            room.clock.advance(milliseconds: n % 3 == 0 ? 1 : 0)
        }
    }

    private func visible(_ count: Int, _ classes: Set<Int>) -> [Int] {
        (0..<count).filter { classes.contains($0 % 6) }.reversed()
    }

    @Test("a list has the newest first and only what its asker may read, each once")
    func scopes() async throws {
        let room = try StoreRoom()
        try await fill(room, count: 60)

        #expect(try await room.list().numbers == visible(60, [0]))
        #expect(try await room.list(as: .user("u1")).numbers == visible(60, [0, 1, 3]))
        #expect(
            try await room.list(as: .user("u1", roles: ["r"])).numbers == visible(60, [0, 1, 2, 3])
        )
        #expect(try await room.list(as: .administrator).numbers == Array((0..<60).reversed()))
    }

    @Test(
        "skip, limit and count cut the same list",
        arguments: [Principal.user("u1"), .administrator]
    )
    func cuts(principal: Principal) async throws {
        let room = try StoreRoom()
        try await fill(room, count: 60)
        let all = try await room.list(as: principal).numbers

        let page = try await room.list(limit: 7, skip: 5, wantsCount: true, as: principal)
        #expect(page.numbers == Array(all[5..<12]))
        #expect(page.count == all.count)
        let counted = try await room.list(limit: 0, wantsCount: true, as: principal)
        #expect(counted.numbers.isEmpty)
        #expect(counted.count == all.count)
        #expect(try await room.list(skip: 1_000, as: principal).numbers.isEmpty)
    }

    @Test("a filter keeps order, scope and count, by either walk", arguments: [10, 1_200])
    func filters(count: Int) async throws {
        let room = try StoreRoom()
        try await fill(room, count: count)
        let even = Filter.field("even", .equal(.bool(true)))

        let expected = visible(count, [0, 1, 3]).filter { $0 % 2 == 0 }
        let list = try await room.list(even, limit: 1_000, wantsCount: true, as: .user("u1"))
        #expect(list.numbers == expected)
        #expect(list.count == expected.count)
        let ascending = try await room.list(
            even,
            order: [.ascending("createDate")],
            limit: 4,
            skip: 1,
            as: .user("u1")
        )
        #expect(ascending.numbers == Array(expected.reversed().dropFirst().prefix(4)))
    }

    @Test("a filter over more visible objects than are probed scans the class")
    func scansClass() async throws {
        let room = try StoreRoom()
        let other = ClassName.named("Other")
        for n in 0..<1_100 {
            _ = try await room.create(.chat, [("n", .int(Int64(n)))])
            if n % 100 == 0 { _ = try await room.create(other, [("n", .int(Int64(n)))]) }
        }
        let hidden = try await room.create(.chat, [("n", .int(7))], acl: .only("u1"))
        let seven = Filter.field("n", .equal(.int(7)))
        #expect(try await room.list(seven).numbers == [7])
        #expect(try await room.list(seven, as: .user("u1")).numbers == [7, 7])
        try await room.update(hidden, acl: .everybody, by: .user("u1"))
        #expect(try await room.list(seven, wantsCount: true).count == 2)
    }

    @Test("fields sort by type and value, ties by age in the last term's direction")
    func sorts() async throws {
        let room = try StoreRoom()
        let values: [Value?] = [.int(5), .text("a"), nil, .int(-1), .null, .number(JSONNumber(5))]
        for (n, value) in values.enumerated() {
            let fields = [("n", Value.int(Int64(n)))] + (value.map { [("v", $0)] } ?? [])
            _ = try await room.create(.chat, fields.map { (Text($0.0), $0.1) })
        }
        #expect(try await room.list(order: [.ascending("v")]).numbers == [2, 4, 3, 0, 5, 1])
        #expect(try await room.list(order: [.descending("v")]).numbers == [1, 5, 0, 3, 4, 2])
        #expect(
            try await room.list(order: [.ascending("v"), .descending("n")]).numbers
                == [4, 2, 3, 5, 0, 1]
        )
        #expect(try await room.list(order: [.ascending("v")], limit: 2, skip: 2).numbers == [3, 0])
    }

    @Test("a changed ACL moves an object in and out of lists")
    func movesByACL() async throws {
        let room = try StoreRoom()
        let id = try await room.create(.chat, [("n", .int(1))], acl: .only("a", "b"))
        #expect(try await room.list(as: .user("a")).numbers == [1])
        try await room.update(id, acl: .only("b"), by: .user("b"))
        #expect(try await room.list(as: .user("a")).numbers.isEmpty)
        try await room.update(id, acl: .everybody, by: .user("b"))
        #expect(try await room.list().numbers == [1])
        #expect(try await room.list(as: .user("b")).numbers == [1])
        try await room.update(id, acl: .only("a"))
        #expect(try await room.list().numbers.isEmpty)
        try await room.delete(id, by: .user("a"))
        #expect(try await room.list(wantsCount: true, as: .user("a")).count == 0)
    }

    @Test("a principal with more keys than are merged sees the same list")
    func manyKeys() async throws {
        let room = try StoreRoom()
        let roles = (0..<20).map { Text("r\($0)") }
        for n in 0..<40 {
            let acl = ACL.readable(by: Text("role:r\(n % 25)"), Text("role:r\(n % 7)"))
            _ = try await room.create(.chat, [("n", .int(Int64(n)))], acl: acl)
        }
        let all = Array((0..<40).reversed())
        #expect(try await room.list(as: .user("u", roles: roles)).numbers == all)
        #expect(
            try await room.list(wantsCount: true, as: .user("u", roles: roles)).count == all.count
        )
        let few = Array(roles.prefix(7))
        #expect(try await room.list(as: .user("u", roles: few)).numbers == all)
        #expect(
            try await room.list(limit: 0, wantsCount: true, as: .user("u", roles: few)).count == 40
        )
    }

    @Test("a class that nobody made is an empty list")
    func absentClass() async throws {
        let room = try StoreRoom()
        let list = try await room.list(wantsCount: true)
        #expect(list.numbers.isEmpty)
        #expect(list.count == 0)
    }

    @Test("an envelope stands around the objects, with the count that was asked for")
    func envelope() async throws {
        let room = try StoreRoom()
        let envelope = ListEnvelope(
            open: { count, output in output += Array("<\(count.map(String.init) ?? "-"):".utf8) },
            close: { $0 += Array(">".utf8) }
        )
        for (limit, wantsCount) in [(10, true), (10, false), (0, true)] {
            let query = Query(className: .chat, limit: limit, wantsCount: wantsCount)
            let none = try await room.store.list(query, in: envelope, as: .stranger)
            #expect(String(decoding: none.json, as: UTF8.self) == (wantsCount ? "<0:>" : "<-:>"))
        }
        _ = try await room.create(.chat, [("n", .int(1))])
        _ = try await room.create(.chat, [("n", .int(2))])
        for (limit, wantsCount) in [(10, true), (10, false), (0, true)] {
            let query = Query(className: .chat, limit: limit, wantsCount: wantsCount)
            let bare = try await room.store.list(query, as: .stranger)
            let list = try await room.store.list(query, in: envelope, as: .stranger)
            let opening = wantsCount ? "<2:" : "<-:"
            #expect(list.json == Array(opening.utf8) + bare.json + Array(">".utf8))
            #expect(bare.json.isEmpty == (limit == 0))
        }
    }

    @Test("an answer is given at the limit of its bytes and refused past it")
    func answerLimit() async throws {
        let probe = try StoreRoom()
        _ = try await probe.create(.chat, [("n", .int(1))])
        let bytes = try await probe.store.list(Query(className: .chat), as: .stranger).json.count

        var limits = StoreLimits()
        limits.listBytes = bytes
        let room = try StoreRoom(limits: limits)
        _ = try await room.create(.chat, [("n", .int(1))])
        #expect(try await room.list().numbers == [1])
        _ = try await room.create(.chat, [("n", .int(2))])
        await #expect(throws: DomainError(.invalidValue, "limit")) { try await room.list() }
    }

    @Test("a list past its deadline is unavailable, and the next one works")
    func deadline() async throws {
        var limits = StoreLimits()
        limits.listDeadline = .seconds(1)
        let room = try StoreRoom(limits: limits)
        try await fill(room, count: 1_500)
        let query = Query(
            className: .chat,
            filter: .field("n", .less(.int(-1))),
            limit: 1_000
        )
        // The first row comes after the deadline.
        let end = ContinuousClock.now + limits.listDeadline * 1.2
        let envelope = ListEnvelope(
            open: { _, _ in while ContinuousClock.now < end {} },
            close: { _ in }
        )
        do {
            _ = try await room.store.list(query, in: envelope, as: .administrator)
            Issue.record("the list came before its deadline")
        } catch {
            #expect(error.code == .unavailable)
        }
        // On a machine that is very busy it may come too late, as any list.
        let patience = Deadline()
        var next: [Int] = []
        while next.isEmpty, !patience.hasPassed {
            next = (try? await room.list(limit: 1, as: .administrator).numbers) ?? []
        }
        #expect(next.count == 1)
    }
}

@Suite("Lists by id and by date of creation")
struct ListByIdentityTests {
    private func room() async throws -> (StoreRoom, ids: [Text], dates: [Timestamp]) {
        let room = try StoreRoom()
        var ids: [Text] = []
        var dates: [Timestamp] = []
        for n in 0..<60 {
            if n % 3 == 0 { room.clock.advance(milliseconds: 1_000) }
            dates.append(room.clock.now)
            let acl: ACL? = n % 10 == 0 ? .only("u1") : nil
            ids.append(try await room.create(.chat, [("n", .int(Int64(n)))], acl: acl))
        }
        for n in [0, 31, 59] {
            let principal = Principal.user("u1")
            try await room.delete(ids[n], by: principal)
        }
        return (room, ids, dates)
    }

    @Test("ids find their objects, in order and as far as they may be read")
    func ids() async throws {
        let (room, ids, _) = try await room()
        let some = Filter.field(
            "objectId",
            .isIn([.string(ids[5]), .string(ids[20]), .string(ids[7]), .int(1), .string("none")])
        )
        let list = try await room.list(some, wantsCount: true)
        #expect(list.numbers == [7, 5])
        #expect(list.count == 2)
        #expect(try await room.list(some, as: .user("u1")).numbers == [20, 7, 5])
        #expect(try await room.list(some, order: [.ascending("n")]).numbers == [5, 7])
        let both = Filter.all([some, .field("n", .greater(.int(6)))])
        #expect(try await room.list(both).numbers == [7])
        #expect(try await room.list(.field("objectId", .equal(.int(5)))).numbers.isEmpty)
    }

    @Test("a span of creation dates finds exactly its objects, wherever it begins and ends")
    func spans() async throws {
        let (room, _, dates) = try await room()
        let living = (0..<60).filter { ![0, 31, 59].contains($0) }
        for from in [dates[0], dates[4], dates[31], dates[59], TestClock().now] {
            for through in [dates[0], dates[33], dates[58], room.clock.now] {
                let span = Filter.all([
                    .field("createDate", .greaterOrEqual(.date(from))),
                    .field("createDate", .lessOrEqual(.date(through))),
                ])
                let inside = living.filter { from <= dates[$0] && dates[$0] <= through }
                let list = try await room.list(span, wantsCount: true, as: .administrator)
                #expect(list.numbers == inside.reversed())
                #expect(list.count == inside.count)
                let open = Filter.all([
                    .field("createDate", .greater(.date(from))),
                    .field("createDate", .less(.date(through))),
                ])
                let between = living.filter { from < dates[$0] && dates[$0] < through }
                #expect(
                    try await room.list(open, order: [.ascending("n")], as: .administrator).numbers
                        == between
                )
            }
        }
        let moment = Filter.field("createDate", .equal(.date(dates[33])))
        #expect(try await room.list(moment, as: .administrator).numbers == [35, 34, 33])
        let never = Filter.field("createDate", .greater(.text("not a date")))
        #expect(try await room.list(never).numbers.isEmpty)
    }
}
