import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

@Suite("Indexes")
struct IndexTests {
    /// What a filter finds, in every shape of query: this must not depend on indexes.
    private struct Answers: Equatable {
        var lists: [[Int]] = []
        var counts: [Int?] = []
    }

    private static let filters: [Filter] = [
        .field("room", .equal(.text("a"))),
        .field("room", .isIn([.text("a"), .text("c"), .null])),
        .field("n", .greater(.int(40))),
        .all([.field("n", .greaterOrEqual(.int(10))), .field("n", .less(.int(30)))]),
        .field("tags", .equal(.text("red"))),
        .all([.field("tags", .greater(.text("a"))), .field("tags", .lessOrEqual(.text("c")))]),
        .all([.field("room", .equal(.text("b"))), .field("n", .less(.int(100)))]),
        .field("room", .equal(.null)),
        .field("a.b", .equal(.int(1))),
        near(20, -20, kilometers: 1_500), near(0, 180, kilometers: 19_000),
        near(90, 5, kilometers: 8_000), near(30, -30, kilometers: nil),
        within((10, -30), (30, -12)), within((-5, 100), (40, -20)),
        .any([.field("room", .equal(.text("a"))), .field("n", .less(.int(9)))]),
        .field("tags", .containsAny([.text("blue"), .text("none")])),
        .field("tags", .containsAll([.text("red"), .text("blue")])),
        .field("room", .isNotIn([.text("a")])),
        .all([]),
    ]

    private static func position(_ latitude: Double, _ longitude: Double) -> GeoPosition {
        guard let position = GeoPosition(latitude: latitude, longitude: longitude) else {
            preconditionFailure("a test's place is not on the earth")
        }
        return position
    }

    private static func near(
        _ latitude: Double,
        _ longitude: Double,
        kilometers: Double?
    ) -> Filter {
        let radius = kilometers.map { $0 / GeoCircle.earthRadiusKilometers }
        let circle = GeoCircle(center: position(latitude, longitude), radiusRadians: radius)
        return circle.map { .field("place", .near($0)) } ?? .any([])
    }

    private static func within(_ a: (Double, Double), _ b: (Double, Double)) -> Filter {
        let box = GeoBox(southWest: position(a.0, a.1), northEast: position(b.0, b.1))
        return box.map { .field("place", .within($0)) } ?? .any([])
    }

    private static let orders: [[OrderTerm]] = [
        [], [.ascending("createDate")], [.ascending("n")], [.descending("room")],
        [.ascending("room"), .descending("createDate")], [.descending("tags"), .ascending("n")],
        [.ascending("a.b")],
    ]

    private func answers(_ room: StoreRoom) async throws -> Answers {
        var answers = Answers()
        for filter in IndexTests.filters {
            for order in IndexTests.orders + (filter.nearestFirst.map { [[$0]] } ?? []) {
                for principal in [Principal.stranger, .user("u1"), .administrator] {
                    let list = try await room.list(
                        filter,
                        order: order,
                        limit: 7,
                        skip: 2,
                        wantsCount: true,
                        as: principal
                    )
                    answers.lists.append(list.numbers)
                    answers.counts.append(list.count)
                    let page = try await room.list(filter, order: order, limit: 9, as: principal)
                    answers.lists.append(page.numbers)
                }
            }
        }
        return answers
    }

    private func fields(_ n: Int) -> [(Text, Value)] {
        var fields: [(Text, Value)] = [("n", .int(Int64(n)))]
        if n % 5 != 0 { fields.append(("room", .text(["a", "b", "c"][n % 3]))) }
        if n % 7 == 0 { fields.append(("room", .null)) }
        if n % 4 == 0 {
            fields.append(("tags", .array([.text("red"), .text("blue"), .text("red")])))
        } else if n % 4 == 1 {
            fields.append(("tags", .text("red")))
        }
        if n % 3 == 0 {
            let inside = Value.array([
                .object([ValueMember(name: "b", value: .int(Int64(n % 2)))]),
                .object([ValueMember(name: "b", value: .array([.int(1), .int(9)]))]),
            ])
            fields.append(("a", inside))
        }
        if n % 2 == 0 {
            let place = { (n: Int) in
                Value.geoPoint(latitude: JSONNumber(Int64(n)), longitude: JSONNumber(Int64(-n)))
            }
            fields.append(("place", n % 8 == 0 ? .array([place(n), place(n + 1)]) : place(n)))
        }
        return Dictionary(fields.map { ($0.0, $0.1) }, uniquingKeysWith: { $1 }).map { ($0, $1) }
    }

    private func fill(_ room: StoreRoom, _ numbers: Range<Int>) async throws -> [Text] {
        var ids: [Text] = []
        for n in numbers {
            let acl: ACL? = n % 6 == 0 ? .only("u1") : n % 11 == 0 ? .only("u2") : nil
            ids.append(try await room.create(.chat, fields(n), acl: acl))
        }
        return ids
    }

    private func declare(_ room: StoreRoom, _ names: Text...) async throws {
        let paths = names.map { FieldPath.named($0) }
        _ = try await room.store.commit(.setIndexes(.chat, added: paths, removed: []))
    }

    private func complaints(_ room: StoreRoom) async throws -> [Text] {
        try await room.store.verify()
    }

    @Test("an index changes no answer: built over what is there, kept through writes")
    func changesNoAnswer() async throws {
        let room = try StoreRoom()
        let ids = try await fill(room, 0..<60)
        let plain = try await answers(room)
        try await declare(room, "room", "n", "tags", "a.b", "place")
        try await room.store.untilBuilt(.chat)
        #expect(try await answers(room) == plain)
        #expect(try await complaints(room).isEmpty)

        // In this one pages are asked for ahead.
        var limits = StoreLimits()
        limits.aheadBytes = 0
        let other = try StoreRoom(limits: limits)
        let otherIDs = try await fill(other, 0..<60)
        try await declare(other, "room", "n", "tags", "a.b", "place")
        try await other.store.untilBuilt(.chat)
        for (n, id) in ids.enumerated() where n % 2 == 0 && n % 6 != 0 && n % 11 != 0 {
            for (room, id) in [(room, id), (other, otherIDs[n])] {
                if n % 8 == 2 {
                    try await room.delete(id)
                } else {
                    let acl: ACL? = n % 8 == 4 ? .only("u1") : nil
                    try await room.update(id, fields(n + 3), acl: acl)
                }
            }
        }
        _ = try await fill(room, 60..<70)
        _ = try await fill(other, 60..<70)
        #expect(try await answers(room) == answers(other))
        #expect(try await complaints(room).isEmpty)
    }

    @Test("bounds on a path through arrays may be met by different values, the whole key's too")
    func boundsThroughArrays() async throws {
        let room = try StoreRoom()
        let inside = Value.array([1, 9].map { .object([ValueMember(name: "b", value: .int($0))]) })
        _ = try await room.create(.chat, [("n", .int(1)), ("a", inside)])
        try await declare(room, "a.b")
        try await room.store.untilBuilt(.chat)
        let bounds: [FieldOperator] = [.less(.int(5)), .greater(.int(5))]
        for bounds in [bounds, bounds.reversed()] {
            let filter = Filter.all(bounds.map { .field("a.b", $0) })
            #expect(try await room.list(filter).numbers == [1])
        }
    }

    @Test("a search by place answers the same when its area holds more objects than it collects")
    func crowdedPlaces() async throws {
        var limits = StoreLimits()
        limits.placeHits = 4
        let rooms = [try StoreRoom(limits: limits), try StoreRoom()]
        for room in rooms {
            _ = try await fill(room, 0..<40)
            try await declare(room, "place")
            try await room.store.untilBuilt(.chat)
        }
        #expect(try await answers(rooms[0]) == answers(rooms[1]))
    }

    @Test("the server makes no index of a field that the newest objects lack")
    func unknownFields() async throws {
        let room = try StoreRoom()
        _ = try await fill(room, 0..<5)
        for name in ["nothing", "n"] as [Text] {
            _ = try await room.store.commit(.makeIndex(.chat, .named(name)))
        }
        #expect(room.store.indexes(of: .chat).map(\.path) == [.named("n")])
    }

    @Test(
        "an index that is being built answers nothing, misses no write, and goes on after a restart"
    )
    func building() async throws {
        let folder = try TemporaryFolder()
        let gate = BuildingGate(after: 24)
        var plain: Answers
        do {
            let room = try StoreRoom(folder: folder, building: gate.mayBuild)
            let ids = try await fill(room, 0..<40)
            try await declare(room, "room", "n", "tags", "a.b", "place")
            #expect(!room.store.isBuilt(.chat))
            #expect(try await complaints(room).isEmpty)
            for n in [1, 3, 35] { try await room.update(ids[n], fields(n + 2)) }
            for n in [2, 34] { try await room.delete(ids[n]) }
            _ = try await fill(room, 40..<50)
            #expect(!room.store.isBuilt(.chat))
            #expect(try await complaints(room).isEmpty)
            plain = try await answers(room)
        }
        let room = try StoreRoom(folder: folder)
        try await room.store.untilBuilt(.chat)
        #expect(try await complaints(room).isEmpty)
        #expect(try await answers(room) == plain)
    }

    @Test("an index that is given up is gone at once, and leaves no key")
    func givingUp() async throws {
        let room = try StoreRoom()
        _ = try await fill(room, 0..<100)
        let plain = try await answers(room)
        try await declare(room, "room", "n")
        _ = try await room.store.commit(
            .setIndexes(.chat, added: [], removed: [.named("room"), .named("n")])
        )
        #expect(try await answers(room) == plain)
        let connection = try SQLiteConnection(path: room.store.path, role: .reader)
        let left = try connection.prepare("SELECT count(*) FROM field_key")
        let deadline = Deadline()
        while try left.first({ $0.integer(0) }) != 0, !deadline.hasPassed {
            room.store.tend()
            await Task.yield()
        }
        #expect(try left.first { $0.integer(0) } == 0)
        #expect(try await complaints(room).isEmpty)
    }

    @Test(
        "a declared index refuses an array of more than 1,000 elements, and one of its own gives up"
    )
    func overfullArrays() async throws {
        let room = try StoreRoom()
        let many = Value.array((0..<1_001).map { .int(Int64($0)) })
        let full = Value.array((0..<1_000).map { .int(Int64($0)) })
        try await declare(room, "tags")
        await #expect(throws: DomainError(.invalidValue, "tags")) {
            _ = try await room.create(.chat, [("tags", many)])
        }
        #expect(try await room.list().numbers.isEmpty)
        _ = try await room.create(.chat, [("n", .int(1)), ("tags", full)])
        let last = Filter.field("tags", .equal(.int(999)))
        #expect(try await room.list(last).numbers == [1])

        _ = try await room.create(.chat, [("more", .int(1))])
        _ = try await room.store.commit(.makeIndex(.chat, .named("more")))
        _ = try await room.create(.chat, [("n", .int(2)), ("more", many)])
        #expect(room.store.indexes(of: .chat).map(\.path) == [.named("tags")])
        #expect(try await room.list(.field("more", .equal(.int(1_000)))).numbers == [2])
        #expect(try await complaints(room).isEmpty)
    }

    @Test("ids and creation dates need no index, and a class has only so many")
    func limits() async throws {
        var limits = StoreLimits()
        limits.declaredIndexes = 2
        limits.ownIndexes = 1
        let room = try StoreRoom(limits: limits)
        for name in ["objectId", "createDate"] as [Text] {
            await #expect(throws: DomainError(.notEnabled, name)) {
                try await declare(room, name)
            }
        }
        try await declare(room, "a", "b")
        try await declare(room, "a")
        await #expect(throws: DomainError(.invalidValue)) { try await declare(room, "c") }
        _ = try await room.create(.chat, [("c", .int(1)), ("d", .int(1))])
        for name in ["c", "d"] as [Text] {
            _ = try await room.store.commit(.makeIndex(.chat, .named(name)))
        }
        #expect(room.store.indexes(of: .chat).map(\.path.text) == ["a", "b", "c"])
        await #expect(throws: DomainError(.notFound, "x")) {
            _ = try await room.store.commit(
                .setIndexes(.chat, added: [], removed: [.named("x")])
            )
        }
    }
}

/// Lets each index take a class's first objects, then no more.
private struct BuildingGate: Sendable {
    let after: Int64

    var mayBuild: @Sendable (Int64) -> Bool {
        { [after] built in
            let next = built + 1
            return ClassRows.sequence(ofRow: next) <= after
        }
    }
}

extension SQLiteStore {
    func isBuilt(_ className: ClassName) -> Bool {
        indexes(of: className).allSatisfy(\.isReady)
    }

    /// Has the writer build until nothing is left.
    func untilBuilt(_ className: ClassName) async throws {
        let deadline = Deadline()
        while !isBuilt(className) {
            if deadline.hasPassed { throw TestFailure.malformed("an index that is never built") }
            tend()
            await Task.yield()
        }
    }
}
