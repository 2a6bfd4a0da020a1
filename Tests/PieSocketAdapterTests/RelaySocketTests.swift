import HatoTesting
import HatoWire
import PieSocketAdapter
import Realtime
import Testing

@Suite("Relay over sockets")
struct RelaySocketTests {
    @Test("relays text and binary unchanged, in one frame of the same opcode")
    func verbatim() throws {
        let fixture = try RelayFixture()
        let sender = try fixture.socket("room")
        let receivers = try fixture.sockets("room", count: 2)
        let texts = [
            "", "hello", #"{"event":"new-message","data":{"message":"hi"},"meta":{"from":"ann"}}"#,
            #"{"event":"hello", "data":"not " JSON", "meta":""}"#, "こんにちは 👋",
            #"{"event":"system:video_offer","data":{"from":"a","to":"b"}}"#, #"{"error":"x"}"#,
            String(repeating: "x", count: 125), String(repeating: "x", count: 126),
            String(repeating: "x", count: 65_535), String(repeating: "x", count: 65_536),
        ]
        for text in texts {
            try sender.send(text: text)
            for receiver in receivers {
                let frame = try receiver.receiveFrame()
                #expect(
                    frame
                        == TestWebSocketClient.Frame(
                            isFinal: true,
                            opcode: 1,
                            payload: Array(text.utf8)
                        )
                )
            }
        }
        for bytes in [[], [0], [0xFF, 0xFE, 0], Array(repeating: 0x80, count: 70_000)] as [[UInt8]]
        {
            try sender.send(binary: bytes)
            for receiver in receivers { #expect(try receiver.receive() == .binary(bytes)) }
        }
        #expect(try sender.settle().isEmpty)
    }

    @Test("joins the fragments of a message before it relays it")
    func fragments() throws {
        let fixture = try RelayFixture()
        let sender = try fixture.socket("room")
        let receiver = try fixture.socket("room")
        try sender.send(opcode: 2, payload: [1], isFinal: false)
        try sender.send(opcode: 0, payload: [2], isFinal: false)
        try sender.send(opcode: 0, payload: [3])
        #expect(try receiver.receiveFrame()?.payload == [1, 2, 3])
    }

    @Test(
        "gives a sender its own message when it asked for that",
        arguments: [
            ("", false), ("&notify_self", true), ("&notify_self=1", true),
            ("&notify_self=true", true), ("&notify_self=0", false), ("&notify_self=false", false),
        ]
    )
    func notifySelf(query: String, isNotified: Bool) throws {
        let fixture = try RelayFixture()
        let sender = try fixture.socket("1", query)
        let other = try fixture.socket("1")
        try sender.send(text: "hi")
        #expect(try other.receive() == .text("hi"))
        #expect(try sender.settle() == (isNotified ? [.text("hi")] : []))
        #expect(try other.settle().isEmpty)
    }

    @Test("serves the URLs of the known clients and Foundation's handshake")
    func clients() throws {
        let fixture = try RelayFixture()
        let demo = try fixture.socket("chat-room", "&notify_self")
        let script = try fixture.socket(
            "chat-room",
            "&notify_self=1&source=jssdk&v=5.2.0&presence=1&user=ann"
                + "&uuid=8704f7fd-0000-4000-8000-000000000000"
        )
        let foundation = try fixture.socket("chat-room", connection: "keep-alive")
        let browser = try fixture.socket(
            "chat-room",
            headers: [("Sec-WebSocket-Extensions", "permessage-deflate")]
        )
        #expect(browser.handshake["Sec-WebSocket-Extensions"] == nil)
        #expect(try script.event().members.map(\.user) == ["ann"])
        try demo.send(text: "a")
        for client in [demo, script, foundation, browser] {
            #expect(try client.receive() == .text("a"))
        }
    }

    @Test("keeps channels and keys apart, and sends nothing when members come and go")
    func isolation() throws {
        let fixture = try RelayFixture()
        let member = try fixture.socket("room")
        let elsewhere = try fixture.socket("room2")
        let otherKey = try TestWebSocketClient(
            port: fixture.port,
            target: "/v3/room?api_key=relaykey2"
        )
        let second = try fixture.socket("room", "&presence=1")
        #expect(try second.event().kind == .list)
        try second.send(text: "x")
        #expect(try member.receive() == .text("x"))
        try second.sendClose()
        #expect(try second.receive() == .close(code: 1000, reason: ""))
        #expect(try member.settle().isEmpty)
        #expect(try elsewhere.settle().isEmpty)
        #expect(try otherKey.settle().isEmpty)
    }

    @Test(
        "upgrades, says why, and closes when it lets nobody in",
        arguments: [
            ("/v3/room?api_key=wrong", "Invalid API key.", 1008),
            ("/v3/room", "Invalid API key.", 1008),
            ("/v3/room?api_key", "Invalid API key.", 1008),
            ("/v3/room%00?api_key=relaykey", "Invalid channel name.", 1008),
            (
                "/v3/private-room?api_key=relaykey",
                "Authentication failed, provide valid jwt token.", 1008
            ),
            (
                "/v3/private-room?api_key=relaykey&jwt=a.b.c",
                "Authentication failed, provide valid jwt token.", 1008
            ),
        ]
    )
    func refusals(target: String, error: String, code: Int) throws {
        let fixture = try RelayFixture()
        let socket = try TestWebSocketClient(port: fixture.port, target: target)
        try socket.send(text: "hello?")
        #expect(try socket.receive() == .text("{\"error\":\"\(error)\"}"))
        #expect(try socket.receive() == .close(code: code, reason: ""))
        try socket.sendClose(code: code)
        #expect(try socket.receive() == .ended)
        #expect(fixture.hub.counts == ChannelHub.Counts())
    }

    @Test("says so when a key has too many channels or a channel too many members")
    func limits() throws {
        let fixture = try RelayFixture(
            channelLimits: ChannelLimits(channelsPerScope: 1, membersPerChannel: 2)
        )
        let members = [try fixture.socket("a"), try fixture.socket("a")]
        let third = try fixture.socket("a")
        #expect(
            try third.receive() == .text(#"{"error":"Too many connections in this channel."}"#)
        )
        #expect(try third.receive() == .close(code: 1013, reason: ""))
        let elsewhere = try fixture.socket("b")
        #expect(try elsewhere.receive() == .text(#"{"error":"Too many channels."}"#))
        #expect(try elsewhere.receive() == .close(code: 1013, reason: ""))
        try members[0].send(text: "x")
        #expect(try members[1].receive() == .text("x"))
    }

    @Test("relays a message of the limit and closes the sender of a longer one with 1009")
    func longestMessage() throws {
        let fixture = try RelayFixture()
        let sender = try fixture.socket("room")
        let receiver = try fixture.socket("room")
        let longest = [UInt8](repeating: 7, count: 1_048_576)
        try sender.send(binary: longest)
        #expect(try receiver.receive() == .binary(longest))
        try sender.send(binary: longest + [7])
        #expect(try sender.receive() == .close(code: 1009, reason: ""))
        #expect(try receiver.settle().isEmpty)
    }

    @Test("sends nothing of its channel to a member after the close frame")
    func nothingAfterClose() throws {
        let fixture = try RelayFixture(
            loops: 1,
            channelLimits: ChannelLimits(waitingMessagesPerLoop: 0, waitingBytesPerLoop: 0)
        )
        let receiver = try fixture.socket("room")
        let sender = try fixture.socket("room", "&notify_self")
        // The second message of one turn is refused: the server begins to close the sender.
        try sender.http.send(
            sender.frame(opcode: 1, payload: [0x61]) + sender.frame(opcode: 1, payload: [0x62])
        )
        #expect(try receiver.receive() == .text("a"))
        for _ in 0..<10 {
            try receiver.send(text: "c")
            #expect(try receiver.settle().isEmpty)
        }
        try sender.sendClose(code: 1013)
        var received: [TestWebSocketClient.Message] = []
        while received.last != .ended { received.append(try sender.receive()) }
        #expect(received == [.close(code: 1013, reason: ""), .ended])
    }

    @Test("frees the channel when its last member vanishes or closes")
    func leaving() throws {
        let fixture = try RelayFixture()
        let closing = try fixture.socket("room")
        let vanishing = try fixture.socket("room")
        #expect(fixture.hub.counts == ChannelHub.Counts(channels: 1, members: 2))
        try closing.sendClose()
        #expect(try closing.receive() == .close(code: 1000, reason: ""))
        #expect(fixture.hub.counts == ChannelHub.Counts(channels: 1, members: 1))
        vanishing.vanish()
        while fixture.hub.counts.members > 0 { try fixture.settle() }
        #expect(fixture.hub.counts == ChannelHub.Counts())
    }

    @Test("answers a request that is no handshake by its status")
    func noHandshake() throws {
        let fixture = try RelayFixture()
        let client = try TestHTTPClient(port: fixture.port)
        #expect(try client.request("GET", "/v3/room?api_key=relaykey").status == 426)
    }
}
