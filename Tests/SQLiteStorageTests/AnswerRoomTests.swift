import HatoTesting
import HatoWire
import ObjectModel
import Synchronization
import Telemetry
import Testing

@testable import SQLiteStorage

@Suite("Room for long answers")
struct AnswerRoomTests {
    private static let filling = Text(String(repeating: "x", count: 50_000))

    /// A store with objects of 50 KB, and what their lists are of.
    private func storeRoom(
        _ budget: ByteBudget,
        objects: Int = 3,
        listBytes: Int = StoreLimits().listBytes
    ) async throws -> StoreRoom {
        var limits = StoreLimits()
        limits.listBytes = listBytes
        let room = try StoreRoom(limits: limits, answers: budget)
        for n in 0..<objects {
            _ = try await room.create(
                .chat,
                [("n", .int(Int64(n))), ("s", .text(AnswerRoomTests.filling))]
            )
        }
        return room
    }

    @Test("is taken before it is used, in steps that double, and no more than the longest answer")
    func steps() {
        let budget = ByteBudget(limit: .max)
        var room = AnswerRoom(of: budget, limit: 1_000_000)
        var json: [UInt8] = []
        #expect(room.make(AnswerRoom.shortBytes, in: &json))
        #expect(budget.bytes == 0)
        #expect(room.make(AnswerRoom.shortBytes + 1, in: &json))
        #expect(budget.bytes == 2 * AnswerRoom.shortBytes)
        #expect(json.capacity >= 2 * AnswerRoom.shortBytes)
        for bytes in [300_000, 400_000, 1_000_000] {
            json = [UInt8](repeating: 1, count: bytes - 1)
            #expect(room.make(1, in: &json))
            #expect(budget.bytes >= bytes)
            #expect(budget.bytes <= 1_000_000 + AnswerRoom.shortBytes)
        }
        #expect(room.reservation(for: json)?.bytes == json.count)
        #expect(budget.bytes == json.count)
        room = AnswerRoom(of: budget, limit: 0)
        #expect(budget.bytes == 0)
    }

    @Test("lacks for a list that is long, not for a short one, until it is given back")
    func lists() async throws {
        let budget = ByteBudget(limit: 400_000)
        let room = try await storeRoom(budget)
        budget.note(300_000)
        let error = await #expect(throws: DomainError.self) { try await room.list() }
        #expect(error?.code == .unavailable)
        #expect(budget.bytes == 300_000)
        #expect(try await room.list(limit: 1).numbers == [2])
        budget.note(-300_000)
        #expect(try await room.list().numbers == [2, 1, 0])
    }

    @Test("goes with the answer, as long as this is, and ends with it")
    func life() async throws {
        let budget = ByteBudget(limit: .max)
        let room = try await storeRoom(budget)
        var list: ObjectList? = try await room.store.list(Query(className: .chat), as: .stranger)
        let count = try #require(list?.json.count)
        #expect(count > 150_000)
        #expect(list?.room?.bytes == count)
        #expect(budget.bytes == count)
        list = nil
        #expect(budget.bytes == 0)
        list = try await room.store.list(Query(className: .chat, limit: 1), as: .stranger)
        #expect(list?.room == nil)
    }

    @Test("is given back by a list that fails")
    func failure() async throws {
        let budget = ByteBudget(limit: .max)
        let room = try await storeRoom(budget, listBytes: 120_000)
        await #expect(throws: DomainError.self) { try await room.list() }
        #expect(budget.bytes == 0)
    }

    @Test("is taken for users, too")
    func users() async throws {
        let budget = ByteBudget(limit: 400_000)
        let room = try await storeRoom(budget, objects: 0)
        for n in 0..<3 {
            let session = NewSession(
                tokenHash: Array(repeating: UInt8(n), count: 32),
                kind: .password,
                lifetimeMilliseconds: 60_000
            )
            let signUp = SignUp(
                userName: Text("user \(n)"),
                passwordHash: "hash",
                mailAddress: nil,
                changes: [
                    FieldChange(name: "s", operation: .set(.text(AnswerRoomTests.filling)))
                ],
                session: session
            )
            _ = try await room.store.commit(.signUp(signUp))
        }
        let query = Query(className: .user)
        let list = try await room.store.list(query, as: .administrator)
        #expect(list.json.count > 150_000)
        #expect(list.room?.bytes == list.json.count)
        budget.note(200_000)
        let error = await #expect(throws: DomainError.self) {
            try await room.store.list(query, as: .administrator)
        }
        #expect(error?.code == .unavailable)
    }

    @Test("is taken for objects found by their place, once for them and what stands around them")
    func places() async throws {
        let budget = ByteBudget(limit: 400_000)
        let ways = Mutex<[ListWay]>([])
        let room = try StoreRoom(
            listing: { way in ways.withLock { $0.append(way) } },
            answers: budget
        )
        let place = Value.geoPoint(latitude: JSONNumber(35), longitude: JSONNumber(139))
        for n in 0..<3 {
            _ = try await room.create(
                .chat,
                [("n", .int(Int64(n))), ("s", .text(AnswerRoomTests.filling)), ("at", place)]
            )
        }
        _ = try await room.store.commit(.setIndexes(.chat, added: [.named("at")], removed: []))
        try await room.store.untilBuilt(.chat)
        let center = try #require(GeoPosition(place))
        let circle = try #require(GeoCircle(center: center, radiusRadians: 0.1))
        let query = Query(
            className: .chat,
            filter: .field("at", .near(circle)),
            wantsCount: true
        )
        let envelope = ListEnvelope(
            open: { count, json in json.append(contentsOf: "<\(count ?? -1):".utf8) },
            close: { $0.append(0x3E) }
        )
        let list = try await room.store.list(query, in: envelope, as: .stranger)
        #expect(list.count == 3)
        #expect(String(decoding: list.json.prefix(15), as: UTF8.self) == #"<3:{"objectId":"#)
        #expect(list.json.last == 0x3E)
        #expect(list.room?.bytes == list.json.count)
        let isByPlace = ways.withLock { ways in
            ways.contains { if case .place = $0 { true } else { false } }
        }
        #expect(isByPlace)
        budget.note(200_000)
        let error = await #expect(throws: DomainError.self) {
            try await room.store.list(query, in: envelope, as: .stranger)
        }
        #expect(error?.code == .unavailable)
    }
}
