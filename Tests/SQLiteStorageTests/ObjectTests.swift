import HatoTesting
import HatoWire
import ObjectModel
import Synchronization
import Testing

@testable import SQLiteStorage

@Suite("Objects in SQLite")
struct ObjectTests {
    @Test("a created object is read by its id, system fields first")
    func createsAndReads() async throws {
        let room = try StoreRoom()
        let id = try await room.create(.chat, [("body", .text("a/b")), ("n", .int(5))])

        #expect(id.utf8.count == 16)
        #expect(
            try room.read(.chat, id) == """
                {"objectId":"\(id)","createDate":"2026-01-01T00:00:00.000Z",\
                "updateDate":"2026-01-01T00:00:00.000Z","acl":{"*":{"read":true,"write":true}},\
                "body":"a\\/b","n":5}
                """
        )
    }

    @Test("an update merges fields, stamps a later date and keeps the rest")
    func updates() async throws {
        let room = try StoreRoom()
        let id = try await room.create(.chat, [("a", .int(1)), ("b", .text("x"))])
        room.clock.advance(milliseconds: 1_500)

        let increment = FieldChange(name: "a", operation: .increment(JSONNumber(2)))
        _ = try await room.store.commit(
            .update(className: .chat, id: id, changes: [increment], acl: nil, by: .stranger)
        )

        let json = try #require(try room.read(.chat, id))
        #expect(json.hasSuffix(#""a":3,"b":"x"}"#))
        #expect(json.contains(#""createDate":"2026-01-01T00:00:00.000Z""#))
        #expect(json.contains(#""updateDate":"2026-01-01T00:00:01.500Z""#))
    }

    @Test("dates never fall when the clock does, and go on after a restart")
    func datesNeverFall() async throws {
        let folder = try TemporaryFolder()
        let clock = TestClock()
        func updated(_ room: StoreRoom, _ id: Text) async throws -> Int64 {
            let outcome = try await room.store.commit(
                .update(className: .chat, id: id, changes: [], acl: nil, by: .stranger)
            )
            guard case .updated(let moment) = outcome else { return 0 }
            return moment.millisecondsSinceEpoch
        }
        var room: StoreRoom? = try StoreRoom(folder: folder, clock: clock)
        let id = try await #require(room).create()
        clock.advance(milliseconds: 10_000)
        let first = try await updated(#require(room), id)
        clock.advance(milliseconds: -60_000)
        #expect(try await updated(#require(room), id) == first)

        room?.applications.close()
        room = nil
        let again = try StoreRoom(folder: folder, clock: clock)
        #expect(try await updated(again, id) == first)
    }

    @Test("an update or delete of nothing is not found, of another's object forbidden")
    func refuses() async throws {
        let room = try StoreRoom()
        let id = try await room.create(acl: .only("owner"), by: .user("owner"))

        await #expect(throws: DomainError(.notFound)) { try await room.update("nothing") }
        await #expect(throws: DomainError(.notFound)) { try await room.delete("nothing") }
        await #expect(throws: DomainError(.forbidden)) {
            try await room.update(id, [("a", .int(1))], by: .user("other"))
        }
        await #expect(throws: DomainError(.forbidden)) { try await room.delete(id) }
        try await room.update(id, [("a", .int(1))], by: .user("owner"))
        try await room.delete(id, by: .user("owner"))
        await #expect(throws: DomainError(.notFound)) {
            try await room.delete(id, by: .user("owner"))
        }
    }

    @Test("an object reads as forbidden where it exists and as missing where not")
    func readsForbidden() async throws {
        let room = try StoreRoom()
        let id = try await room.create(acl: .readable(by: "role:staff"))
        let reader = try room.store.reader(onLoop: 0)
        var output: [UInt8] = []

        func outcome(_ id: Text, _ principal: Principal) throws -> ReadOutcome {
            try reader.append(.chat, id, as: principal, to: &output)
        }
        #expect(try outcome(id, .stranger) == .forbidden)
        #expect(try outcome(id, .user("staff")) == .forbidden)
        #expect(try outcome("nothing", .stranger) == .missing)
        #expect(output.isEmpty)
        #expect(try outcome(id, .user("u", roles: ["staff"])) == .found)
        #expect(try outcome(id, .administrator) == .found)
        #expect(try reader.append(.named("None"), id, as: .stranger, to: &output) == .missing)
    }

    @Test("what a class's default ACL gives is what its objects have")
    func defaultACL() async throws {
        let room = try StoreRoom()
        let settings = ClassSettings(relay: .off, defaultACL: .owner)
        _ = try await room.store.commit(.configureClass(.chat, settings))
        #expect(room.store.settings(of: .chat) == settings)

        let own = try await room.create(by: .user("me"))
        let nobodys = try await room.create(by: .stranger)
        #expect(try room.read(.chat, own, as: .user("me")) != nil)
        #expect(try room.read(.chat, own) == nil)
        #expect(try room.read(.chat, nobodys) == nil)
        #expect(try room.read(.chat, nobodys, as: .administrator)?.contains(#""acl":{}"#) == true)
    }

    @Test("users are not made, changed or removed as plain objects")
    func refusesUsers() async throws {
        let room = try StoreRoom()
        await #expect(throws: DomainError(.prohibited)) {
            try await room.create(.user, by: .administrator)
        }
        await #expect(throws: DomainError(.prohibited)) {
            try await room.store.commit(
                .update(className: .user, id: "x", changes: [], acl: nil, by: .administrator)
            )
        }
        await #expect(throws: DomainError(.prohibited)) {
            try await room.store.commit(.delete(className: .user, id: "x", by: .administrator))
        }
    }

    @Test("a document is taken at the limit of its size and refused one byte past it")
    func documentLimit() async throws {
        var limits = StoreLimits()
        limits.documents.documentBytes = 100
        let room = try StoreRoom(limits: limits)
        func text(ofDocument bytes: Int) -> Value {
            .text(Text(String(repeating: "x", count: bytes - #"{"a":""}"#.utf8.count)))
        }
        let id = try await room.create(.chat, [("a", text(ofDocument: 100))])
        await #expect(throws: DomainError.self) {
            try await room.create(.chat, [("a", text(ofDocument: 101))])
        }
        await #expect(throws: DomainError.self) {
            try await room.update(id, [("a", text(ofDocument: 101))])
        }
        try await room.update(id, [("a", text(ofDocument: 100))])
    }

    @Test("an id that is taken is drawn again")
    func drawsAnotherID() async throws {
        // The second object first draws the first one's id.
        let same: UInt64 = 0x1234_5678_90AB_CDEF
        let draws = Draws([same, same, 0xFEDC_BA98_7654_3210, 5])
        let room = try StoreRoom(random: { draws.next() })
        draws.begin()
        let first = try await room.create()
        let second = try await room.create()
        #expect(first != second)
        #expect(try room.read(.chat, first) != nil)
        #expect(try room.read(.chat, second) != nil)
        #expect(draws.leftCount == 1)
    }

    @Test("everything is there after a restart, and the folder's files are ours alone")
    func restarts() async throws {
        let folder = try TemporaryFolder()
        var room: StoreRoom? = try StoreRoom(folder: folder)
        let id = try await #require(room).create(.chat, [("n", .int(1))])
        room = nil

        let again = try StoreRoom(folder: folder)
        #expect(try again.read(.chat, id)?.contains(#""n":1"#) == true)
        let second = try await again.create(.chat, [("n", .int(2))])
        #expect(try await again.list().numbers == [2, 1])
        #expect(second != id)
    }
}

/// Numbers that a test has chosen, once it has begun; random ones before and after.
private final class Draws: Sendable {
    private let numbers: Mutex<[UInt64]>
    private let hasBegun = Atomic<Bool>(false)

    init(_ numbers: [UInt64]) {
        self.numbers = Mutex(numbers.reversed())
    }

    func begin() {
        hasBegun.store(true, ordering: .relaxed)
    }

    var leftCount: Int { numbers.withLock { $0.count } }

    func next() -> UInt64 {
        let chosen = hasBegun.load(ordering: .relaxed) ? numbers.withLock { $0.popLast() } : nil
        return chosen ?? UInt64.random(in: .min ... .max)
    }
}
