import EventLoops
import HatoTesting
import HatoWire
import ObjectModel
import Realtime
import Testing

@Suite("ChangeRelay")
struct ChangeRelayTests {
    private let application = Application(
        id: "app",
        name: "default",
        applicationKey: "K",
        clientKey: "C",
        relayKey: "scope",
        relaySecret: "S"
    )

    private func create(
        _ id: Text,
        in className: Text,
        _ relay: ClassSettings.Relay
    ) throws -> Change {
        let object = StoredObject(
            row: 1,
            id: id,
            created: Timestamp(millisecondsSinceEpoch: 0),
            updated: Timestamp(millisecondsSinceEpoch: 0),
            acl: .everybody,
            document: Array("{}".utf8)
        )
        return Change(
            sequence: 1,
            kind: .create,
            className: try ClassName(dataStore: className),
            settings: ClassSettings(relay: relay),
            before: nil,
            after: object
        )
    }

    private func message(_ id: String) -> [UInt8] {
        let text = #"{"objectId":"\#(id)","createDate":"1970-01-01T00:00:00.000Z"}"#
        return MessageFrame.text(Array(text.utf8)).plain.bytes
    }

    @Test("publishes each class's changes to its channel, in their order, as one text frame each")
    func channels() throws {
        let house = try ChannelHouse()
        let relay = ChangeRelay(hub: house.hub)
        let members = try house.joinOnAllLoops("A")
        let (other, _) = try house.join("B")
        relay.relay(
            [
                try create("1", in: "A", .flat), try create("2", in: "B", .flat),
                try create("3", in: "A", .off), try create("4", in: "C", .flat),
                try create("5", in: "A", .flat),
            ],
            of: application
        )
        let expected = message("1") + message("5")
        for member in members { #expect(try member.bytes(expected.count) == expected) }
        #expect(try other.bytes(message("2").count) == message("2"))
        #expect(expected[0] == 0x81)
    }

    @Test("publishes nothing under another application's relay key")
    func applications() throws {
        let house = try ChannelHouse()
        let relay = ChangeRelay(hub: house.hub)
        let (member, _) = try house.join("A")
        var stranger = application
        stranger.relayKey = "other"
        relay.relay([try create("1", in: "A", .flat)], of: stranger)
        relay.relay([try create("2", in: "A", .flat)], of: application)
        #expect(try member.bytes(message("2").count) == message("2"))
    }

    @Test("closes the members that a change could not reach, so that they notice")
    func overload() throws {
        let house = try ChannelHouse(loops: 1, limits: ChannelLimits(waitingMessagesPerLoop: 2))
        let relay = ChangeRelay(hub: house.hub)
        let (member, _) = try house.join("A")
        let (other, _) = try house.join("B")
        let gate = try Gate(house.group.loops[0])
        for id in ["1", "2", "3", "4"] as [Text] {
            relay.relay([try create(id, in: "A", .flat)], of: application)
        }
        gate.open()
        let farewell: [UInt8] = [0x88, 2, 0x03, 0xF5]  // 1013, try again later
        #expect(try member.bytesToEnd() == message("1") + message("2") + farewell)
        member.close()
        relay.relay([try create("5", in: "B", .flat)], of: application)
        #expect(try other.bytes(message("5").count) == message("5"))
    }
}
