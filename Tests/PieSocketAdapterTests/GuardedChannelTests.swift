import HatoTesting
import HatoWire
import ObjectModel
import PieSocketAdapter
import Realtime
import Testing

@Suite("Guarded channels")
struct GuardedChannelTests {
    private static let refusal = TestWebSocketClient.Message.text(
        #"{"error":"Authentication failed, provide valid jwt token."}"#
    )

    private func expectRefusal(_ socket: TestWebSocketClient) throws {
        #expect(try socket.receive() == Self.refusal)
        #expect(try socket.receive() == .close(code: 1008, reason: ""))
    }

    @Test("a token of the address or of the header opens its channel, and no other")
    func token() throws {
        let fixture = try RelayFixture()
        let token = fixture.token("private-room")
        let first = try fixture.socket("private-room", "&jwt=\(token)")
        let second = try fixture.socket("private-room", headers: [("jwt", token)])
        try first.send(text: "hello")
        #expect(try second.receive() == .text("hello"))
        try expectRefusal(try fixture.socket("private-room"))
        try expectRefusal(try fixture.socket("private-room", "&jwt="))
        try expectRefusal(try fixture.socket("private-other", "&jwt=\(token)"))
        let wrong = fixture.token("private-room", secret: "relaysecret2")
        try expectRefusal(try fixture.socket("private-room", "&jwt=\(wrong)"))
        #expect(fixture.hub.counts == ChannelHub.Counts(channels: 1, members: 2))
    }

    @Test("a token of another application's key opens nothing")
    func otherKey() throws {
        let fixture = try RelayFixture()
        let socket = try TestWebSocketClient(
            port: fixture.port,
            target: "/v3/private-room?api_key=relaykey2&jwt=\(fixture.token("private-room"))"
        )
        try expectRefusal(socket)
    }

    @Test("the token's user goes before the address's")
    func user() throws {
        let fixture = try RelayFixture()
        let token = fixture.token("room", user: #"{"id":7}"#)
        let member = try fixture.socket("room", "&presence=1&uuid=u1&user=eve&jwt=\(token)")
        #expect(try member.event().members == [PresenceEvent.Member("u1", #"{"id":7}"#)])
    }

    @Test("a token that is sent must be right, also where none is needed")
    func needless() throws {
        let fixture = try RelayFixture()
        try expectRefusal(try fixture.socket("room", "&jwt=a.b.c"))
        let socket = try fixture.socket("room", "&jwt=\(fixture.token("room"))")
        #expect(try socket.settle().isEmpty)
    }

    @Test("a key that guards all channels asks for a token everywhere, from the next socket on")
    func forced() throws {
        let fixture = try RelayFixture()
        let early = try fixture.socket("room")
        fixture.set(RelaySettings(guardsAllChannels: true))
        try expectRefusal(try fixture.socket("room"))
        let late = try fixture.socket("room", "&jwt=\(fixture.token("room"))")
        try late.send(text: "x")
        #expect(try early.receive() == .text("x"))
        fixture.set(RelaySettings())
        #expect(try fixture.socket("room").settle().isEmpty)
    }
}
