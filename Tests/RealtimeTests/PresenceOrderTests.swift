import EventLoops
import HatoWire
import Testing

@testable import Realtime

@Suite("What members are told of comings and goings")
struct PresenceOrderTests {
    private static let second: UInt64 = 1_000_000_000

    /// One event a second, four at once.
    private var presence = Presence(
        pace: PresencePace(bytesPerSecond: PresencePace.eventBytes)
    )
    private let audience: Audience
    private let group: EventLoopGroup

    init() throws {
        group = try EventLoopGroup(count: 1, limits: LoopLimits())
        audience = Audience(on: group.loops[0])
    }

    private func socket(_ number: UInt32) -> ConnectionID {
        ConnectionID(loop: 0, slot: number, generation: 1)
    }

    /// Returns whether it got the list at once.
    @discardableResult
    private mutating func come(_ uuid: String, _ number: UInt32 = 0, user: String = "u") -> Bool {
        let newcomer = Presence.Newcomer(
            audience: audience,
            seat: Int(number),
            connection: socket(number)
        )
        return presence.add(Member(uuid: Text(uuid), user: Text(user)), newcomer) != nil
    }

    private mutating func go(_ uuid: String, _ number: UInt32 = 0) {
        presence.remove(Text(uuid), socket(number))
    }

    /// What is told now: `+uuid` or `-uuid`, and the uuids that are listed.
    private mutating func told(at time: UInt64) throws -> [String] {
        var told: [String] = []
        while let next = presence.next(at: time) {
            guard let event = next.event else {
                told.append("list")
                continue
            }
            guard case .object(let root) = try JSON.parse(event),
                case .object(let data)? = root["data"], case .string(let name)? = root["event"],
                case .object(let member)? = data["member"],
                case .string(let uuid)? = member["uuid"], case .array(let all)? = data["members"]
            else { continue }
            let uuids = all.map { element in
                guard case .object(let member) = element, case .string(let uuid)? = member["uuid"]
                else { return "?" }
                return uuid.string
            }
            let sign = name == "system:member_joined" ? "+" : "-"
            told.append(sign + uuid.string + " " + uuids.joined())
        }
        return told
    }

    @Test("is four seconds' worth at once, and then one event for each second's worth")
    mutating func pace() throws {
        come("a")
        #expect(try told(at: 0) == ["list"])
        for name in ["b", "c", "d", "e", "f", "g"] { come(name) }
        #expect(try told(at: 0) == ["+b ab", "+c abc", "+d abcd", "+e abcde"])
        #expect(presence.wait(at: 0) == Self.second)
        #expect(try told(at: Self.second - 1).isEmpty)
        #expect(try told(at: Self.second) == ["+f abcdef"])
        #expect(try told(at: 2 * Self.second) == ["+g abcdefg"])
        #expect(presence.wait(at: 2 * Self.second) == nil)
    }

    @Test("costs a long event by its bytes")
    mutating func longEvents() throws {
        come("a", user: String(repeating: "n", count: 11_000))
        come("b")
        come("c")
        come("d")
        // Each takes almost three of four seconds: the second is told with what the first leaves.
        #expect(try told(at: 0) == ["list", "+b ab", "+c abc"])
        #expect(presence.wait(at: 0) ?? 0 > 2 * Self.second)
    }

    @Test("leaves out who has gone before its coming was told, and who has come back")
    mutating func coalesced() throws {
        for name in ["a", "b", "c", "d", "e"] { come(name) }
        #expect(try told(at: 0).count == 5)
        come("x")
        go("x")
        go("b")
        #expect(come("b", 1, user: "another"))
        for _ in 0..<10_000 {
            go("c")
            come("c")
            come("y")
            go("y")
        }
        #expect(presence.wait(at: 0) == nil)
        #expect(presence.count == 5)
        #expect(try told(at: 100 * Self.second).isEmpty)
    }

    @Test("comes in the order in which it happened, each member at most once")
    mutating func order() throws {
        for name in ["a", "b", "c", "d", "e"] { come(name) }
        #expect(try told(at: 0).count == 5)
        come("x")
        go("b")
        come("y")
        go("x")
        go("c")
        #expect(try told(at: 100 * Self.second) == ["-b acde", "+y acdey", "-c adey"])
    }

    @Test("gives the list to all sockets of a member when its coming is told, and only then")
    mutating func newcomers() throws {
        for name in ["a", "b", "c", "d", "e"] { come(name) }
        #expect(try told(at: 0).count == 5)
        #expect(!come("x", 1))
        #expect(!come("x", 2))
        #expect(!come("x", 3))
        go("x", 2)
        let taken = presence.next(at: 100 * Self.second)
        let next = try #require(taken)
        #expect(next.newcomers.map(\.seat) == [1, 3])
        #expect(String(decoding: next.list, as: UTF8.self).contains(#"{"uuid":"x","user":"u"}"#))
        #expect(come("x", 4))
    }

    @Test("keeps a member's place until its going is told, and no longer")
    mutating func room() throws {
        for name in ["a", "b", "c", "d", "e"] { come(name) }
        #expect(try told(at: 0).count == 5)
        #expect(!presence.hasRoom(for: "x", limit: 5))
        #expect(presence.hasRoom(for: "a", limit: 5))
        go("a")
        #expect(!presence.hasRoom(for: "x", limit: 5))
        #expect(try told(at: 100 * Self.second) == ["-a bcde"])
        #expect(presence.hasRoom(for: "x", limit: 5))
        // Nobody is left to be told anything.
        for name in ["b", "c", "d", "e"] { go(name) }
        #expect(presence.wait(at: 0) == nil)
        #expect(presence.hasRoom(for: "x", limit: 1))
    }
}
