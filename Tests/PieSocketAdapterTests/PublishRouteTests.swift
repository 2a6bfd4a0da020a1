import HatoTesting
import HatoWire
import PieSocketAdapter
import Realtime
import Testing

@Suite("POST /api/publish")
struct PublishRouteTests {
    private func body(
        key: String = "relaykey",
        secret: String = "relaysecret",
        channel: String = #""room""#,
        message: String
    ) -> String {
        #"{"key":"\#(key)","secret":"\#(secret)","channelId":\#(channel),"message":\#(message)}"#
    }

    @Test("delivers the message's own text to all members and answers 200")
    func delivery() throws {
        let fixture = try RelayFixture()
        let members = try fixture.sockets("room", count: 3)
        let messages = [
            (
                #"{"event":"e","data":{"n":1.50,"s":"\u3042\/"}}"#,
                #"{"event":"e","data":{"n":1.50,"s":"\u3042\/"}}"#
            ),
            (#""plain \"text\" あ""#, #"plain "text" あ"#), ("[1, 2]", "[1, 2]"), ("7", "7"),
        ]
        for (message, text) in messages {
            let response = try fixture.publish(body(message: message))
            #expect(response.status == 200)
            #expect(response.text == #"{"success":true}"#)
            #expect(response["Content-Type"]?.hasPrefix("application/json") == true)
            for member in members { #expect(try member.receive() == .text(text)) }
        }
    }

    @Test("finds a channel by its number")
    func number() throws {
        let fixture = try RelayFixture()
        let member = try fixture.socket("1")
        #expect(try fixture.publish(body(channel: "1", message: "true")).status == 200)
        #expect(try member.receive() == .text("true"))
    }

    @Test("answers 200 when nobody is there")
    func unheard() throws {
        #expect(try RelayFixture().publish(body(message: "1")).status == 200)
    }

    @Test(
        "answers 401 to a wrong key or secret and delivers nothing",
        arguments: [
            ("wrong", "relaysecret"), ("relaykey", "wrong"), ("relaykey", ""), ("", ""),
            ("relaykey", "relaysecre"), ("relaykey", "relaysecret2"), ("relaykey2", "relaysecret"),
        ]
    )
    func unauthenticated(key: String, secret: String) throws {
        let fixture = try RelayFixture()
        let member = try fixture.socket("room")
        let response = try fixture.publish(body(key: key, secret: secret, message: "1"))
        #expect(response.status == 401)
        #expect(response.text == #"{"error":"Invalid API key or secret."}"#)
        #expect(try member.settle().isEmpty)
    }

    @Test("answers 400 to what is no publication, 413 to a message over the limit")
    func malformed() throws {
        let fixture = try RelayFixture(limits: PieSocketLimits(messageBytes: 8))
        let nothing = try fixture.publish("")
        #expect(nothing.status == 400)
        #expect(nothing.text == #"{"error":"The body is not a JSON object."}"#)
        #expect(try fixture.publish(#"{"key":"relaykey"}"#).status == 400)
        #expect(try fixture.publish(body(channel: "null", message: "1")).status == 400)
        #expect(try fixture.publish(body(message: "12345678")).status == 200)
        let tooLong = try fixture.publish(body(message: "123456789"))
        #expect(tooLong.status == 413)
        #expect(tooLong.text == #"{"error":"The message is too long."}"#)
    }

    @Test(
        "answers 503 when a loop is too far behind, and the sender of a socket is closed with 1013"
    )
    func overload() throws {
        let fixture = try RelayFixture(
            loops: 1,
            channelLimits: ChannelLimits(waitingMessagesPerLoop: 0, waitingBytesPerLoop: 0)
        )
        let member = try fixture.socket("room")
        // One message is always taken; the second comes in the same turn of the only loop.
        let client = try TestHTTPClient(port: fixture.port)
        let body = Array(body(message: "1").utf8)
        let request =
            Array(
                "POST /api/publish HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n"
                    .utf8
            )
            + body
        try client.send(request + request)
        #expect(try client.response().status == 200)
        let second = try client.response()
        #expect(second.status == 503)
        #expect(second.text == #"{"error":"Too many messages are waiting."}"#)
        #expect(try member.receive() == .text("1"))

        let sender = try fixture.socket("room")
        try sender.http.send(
            sender.frame(opcode: 1, payload: [0x61]) + sender.frame(opcode: 1, payload: [0x62])
        )
        #expect(try sender.receive() == .close(code: 1013, reason: ""))
        #expect(try member.receive() == .text("a"))
        #expect(try member.settle().isEmpty)
    }
}
