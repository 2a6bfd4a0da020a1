import HatoTesting
import HatoWire
import PieSocketAdapter
import Realtime
import Testing

@Suite("Presence")
struct PresenceTests {
    private typealias Member = PresenceEvent.Member
    private let ann = Member("u1", "ann")
    private let bob = Member("u2", "bob")

    private func member(
        _ fixture: RelayFixture,
        _ uuid: String,
        _ user: String
    ) throws -> TestWebSocketClient {
        try fixture.socket("room", "&presence=1&uuid=\(uuid)&user=\(user)")
    }

    private func leave(_ socket: TestWebSocketClient) throws {
        try socket.sendClose()
        while try socket.receive() != .ended {}
    }

    @Test("lists to the newcomer all members with itself, and tells the others who came and went")
    func events() throws {
        let fixture = try RelayFixture()
        let first = try member(fixture, "u1", "ann")
        #expect(try first.event() == PresenceEvent(.list, of: [ann]))
        let second = try member(fixture, "u2", "bob")
        #expect(try second.event() == PresenceEvent(.list, of: [ann, bob]))
        #expect(try first.event() == PresenceEvent(.joined, bob, of: [ann, bob]))
        try leave(first)
        #expect(try second.event() == PresenceEvent(.left, ann, of: [bob]))
        #expect(try second.settle().isEmpty)
    }

    @Test("writes the events as the SDKs read them")
    func texts() throws {
        let fixture = try RelayFixture()
        let first = try member(fixture, "u1", "ann")
        let second = try member(fixture, "u2", "bob")
        #expect(
            try second.receive()
                == .text(
                    #"{"event":"system:member_list","data":{"members":["#
                        + #"{"uuid":"u1","user":"ann"},{"uuid":"u2","user":"bob"}]}}"#
                )
        )
        try leave(second)
        _ = try first.receive()
        #expect(
            try first.receive()
                == .text(
                    #"{"event":"system:member_joined","data":{"member":"#
                        + #"{"uuid":"u2","user":"bob"},"members":["#
                        + #"{"uuid":"u1","user":"ann"},{"uuid":"u2","user":"bob"}]}}"#
                )
        )
        #expect(
            try first.receive()
                == .text(
                    #"{"event":"system:member_left","data":{"member":"#
                        + #"{"uuid":"u2","user":"bob"},"members":[{"uuid":"u1","user":"ann"}]}}"#
                )
        )
    }

    @Test("sends nothing to sockets without presence, and counts them for nobody")
    func withoutPresence() throws {
        let fixture = try RelayFixture()
        let plain = try fixture.sockets("room", count: 2)
        let first = try member(fixture, "u1", "ann")
        #expect(try first.event() == PresenceEvent(.list, of: [ann]))
        try leave(try member(fixture, "u2", "bob"))
        try leave(plain[0])
        #expect(try first.event().kind == .joined)
        #expect(try first.event() == PresenceEvent(.left, bob, of: [ann]))
        #expect(try first.settle().isEmpty)
        for socket in plain.dropFirst() { #expect(try socket.settle().isEmpty) }
    }

    @Test("channels whose name begins with presence- have it without being asked")
    func presenceChannels() throws {
        let fixture = try RelayFixture()
        let socket = try fixture.socket("presence-room", "&uuid=u1&user=ann")
        #expect(try socket.event() == PresenceEvent(.list, of: [ann]))
    }

    @Test("sockets with the same uuid are one member, which leaves with the last of them")
    func sameUUID() throws {
        let fixture = try RelayFixture()
        let observer = try member(fixture, "u2", "bob")
        _ = try observer.event()
        let first = try member(fixture, "u1", "ann")
        #expect(try first.event() == PresenceEvent(.list, of: [bob, ann]))
        #expect(try observer.event() == PresenceEvent(.joined, ann, of: [bob, ann]))
        // A reconnect while the old socket lingers: no event, the first name stays.
        let again = try member(fixture, "u1", "renamed")
        #expect(try again.event() == PresenceEvent(.list, of: [bob, ann]))
        try leave(first)
        try again.send(text: "still here")
        #expect(try observer.receive() == .text("still here"))
        // Both hear what follows; the old one stayed open until it left.
        let third = try member(fixture, "u1", "ann")
        #expect(try third.event().kind == .list)
        try leave(again)
        #expect(try observer.settle().isEmpty)
        third.vanish()
        #expect(try observer.event() == PresenceEvent(.left, ann, of: [bob]))
        // Gone for good, it comes back as a new member with a name of its own.
        let back = try member(fixture, "u1", "ann2")
        #expect(try back.event().members.last == Member("u1", "ann2"))
        #expect(try observer.event().kind == .joined)
    }

    @Test("makes a uuid for a socket without one, and calls a user without a name anonymous")
    func defaults() throws {
        let fixture = try RelayFixture()
        let first = try fixture.socket("room", "&presence")
        let second = try fixture.socket("room", "&presence=true&uuid=&user=")
        let members = try second.event().members
        #expect(Set(members.map(\.uuid)).count == 2)
        for member in members {
            #expect(member.uuid.utf8.count == 36)
            #expect(member.user == "anonymous")
        }
        withExtendedLifetime(first) {}
    }

    @Test("delivers a user that is JSON, raw or coded, as a string of it")
    func userJSON() throws {
        let fixture = try RelayFixture()
        for (sent, user) in [
            (#"{"name":"a","n":1}"#, #"{"name":"a","n":1}"#), ("%7B%22a%22%3A1%7D", #"{"a":1}"#),
            ("%E3%81%82%0A", "あ\n"), ("7", "7"),
        ] {
            let socket = try member(fixture, "u1", sent)
            #expect(try socket.event().members == [Member("u1", user)])
            try leave(socket)
        }
    }

    @Test("takes as many members as the limit says, counts sockets of one uuid once, and no more")
    func memberLimit() throws {
        let fixture = try RelayFixture(channelLimits: ChannelLimits(presencePerChannel: 2))
        let members = [
            try member(fixture, "u1", "ann"), try member(fixture, "u2", "bob"),
            try member(fixture, "u2", "bob"),
        ]
        let refused = try member(fixture, "u3", "eve")
        #expect(try refused.receive() == .text(#"{"error":"Too many members in this channel."}"#))
        #expect(try refused.receive() == .close(code: 1013, reason: ""))
        #expect(fixture.hub.counts.members == 3)
        let plain = try fixture.socket("room")
        #expect(try plain.settle().isEmpty)
        try leave(members[0])
        let next = try member(fixture, "u3", "eve")
        #expect(try next.event().members == [bob, Member("u3", "eve")])
    }

    @Test("takes a uuid and a user name of the limit, and refuses longer ones")
    func lengths() throws {
        let fixture = try RelayFixture()
        let uuid = String(repeating: "u", count: 128)
        let user = String(repeating: "n", count: 512)
        let longest = try member(fixture, uuid, user)
        #expect(try longest.event().members == [Member(uuid, user)])
        for socket in [
            try member(fixture, uuid + "u", user), try member(fixture, uuid, user + "n"),
        ] {
            #expect(
                try socket.receive() == .text(#"{"error":"The uuid or the user is too long."}"#)
            )
            #expect(try socket.receive() == .close(code: 1008, reason: ""))
        }
        // A control character takes six bytes where everybody gets it, a quote two.
        let fitting = String(repeating: "%01", count: 21)
        let others = [
            try member(fixture, fitting + "%22", "a"),
            try member(fixture, "v", String(repeating: "%01", count: 85)),
        ]
        #expect(try others.map { try $0.event().members.count } == [2, 3])
        for socket in [
            try member(fixture, fitting + "%01", "a"),
            try member(fixture, "w", String(repeating: "%01", count: 86)),
        ] {
            #expect(
                try socket.receive() == .text(#"{"error":"The uuid or the user is too long."}"#)
            )
        }
        // Without presence nobody hears of either.
        #expect(try fixture.socket("room", "&user=\(user)n").settle().isEmpty)
    }

    @Test("lets nobody but the server speak of members")
    func forged() throws {
        let fixture = try RelayFixture()
        let observer = try member(fixture, "u1", "ann")
        _ = try observer.event()
        let forger = try fixture.socket("room")
        let event = #"{"event":"system:member_left","data":{"members":[]}}"#
        try forger.send(text: event)
        #expect(
            try forger.receive()
                == .text(
                    #"{"error":"Events that begin with system:member_ are the server's."}"#
                )
        )
        #expect(try forger.receive() == .close(code: 1008, reason: ""))
        let published = try fixture.publish(
            #"{"key":"relaykey","secret":"relaysecret","channelId":"room","message":\#(event)}"#
        )
        #expect(published.status == 400)
        let other = try fixture.socket("room")
        try other.send(text: #"{"event":"system:video_offer"}"#)
        #expect(try observer.receive() == .text(#"{"event":"system:video_offer"}"#))
    }

    @Test("forgets its members with their sockets")
    func noLeak() throws {
        let fixture = try RelayFixture()
        for _ in 0..<20 { try member(fixture, "u1", "ann").vanish() }
        while fixture.hub.counts.members > 0 { try fixture.settle() }
        #expect(fixture.hub.counts == ChannelHub.Counts())
        #expect(try member(fixture, "u2", "bob").event() == PresenceEvent(.list, of: [bob]))
    }
}
