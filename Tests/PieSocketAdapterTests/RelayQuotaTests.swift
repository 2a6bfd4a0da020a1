import EventLoops
import HatoTesting
import HatoWire
import ObjectModel
import Realtime
import Testing

@testable import PieSocketAdapter

@Suite("Limits of a relay key")
struct RelayQuotaTests {
    private func expect(
        _ socket: TestWebSocketClient,
        _ error: String,
        _ code: Int
    ) throws {
        #expect(try socket.receive() == .text("{\"error\":\"\(error)\"}"))
        #expect(try socket.receive() == .close(code: code, reason: ""))
    }

    @Test("as many connections as are set, over all channels and loops, and no more")
    func connections() throws {
        let fixture = try RelayFixture()
        fixture.set(RelaySettings(connectionLimit: 8))
        var sockets: [TestWebSocketClient] = []
        for number in 0..<8 { sockets.append(try fixture.socket("room\(number % 3)")) }
        try expect(try fixture.socket("room0"), "Too many connections.", 1013)
        let other = try TestWebSocketClient(
            port: fixture.port,
            target: "/v3/room?api_key=relaykey2"
        )
        #expect(try other.settle().isEmpty)
        sockets.removeLast().vanish()
        while fixture.hub.counts(of: "relaykey").members > 7 { try fixture.settle() }
        #expect(try fixture.socket("room9").settle().isEmpty)
    }

    @Test("as many channels as are set, and no more")
    func channels() throws {
        let fixture = try RelayFixture()
        fixture.set(RelaySettings(channelLimit: 2))
        let sockets = [try fixture.socket("a"), try fixture.socket("b"), try fixture.socket("b")]
        try expect(try fixture.socket("c"), "Too many channels.", 1013)
        #expect(fixture.hub.counts(of: "relaykey") == ChannelHub.Counts(channels: 2, members: 3))
        withExtendedLifetime(sockets) {}
    }

    @Test("as many messages of sockets at once as are set for a second, and no more")
    func messages() throws {
        let fixture = try RelayFixture()
        fixture.set(RelaySettings(messagesPerSecond: 3))
        let first = try fixture.socket("room")
        let second = try fixture.socket("room")
        try first.http.send(
            first.frame(opcode: 1, payload: [0x61]) + first.frame(opcode: 1, payload: [0x62])
                + first.frame(opcode: 1, payload: [0x63]) + first.frame(opcode: 1, payload: [0x64])
        )
        for text in ["a", "b", "c"] { #expect(try second.receive() == .text(text)) }
        try expect(first, "Too many messages in a second.", 1013)
    }

    @Test("a message that comes packed counts before it is unpacked")
    func packedMessages() throws {
        let fixture = try RelayFixture(limits: PieSocketLimits(allowsCompression: true))
        fixture.set(RelaySettings(messagesPerSecond: 1))
        let socket = try fixture.socket(
            "room",
            headers: [("Sec-WebSocket-Extensions", "permessage-deflate")]
        )
        let damaged: [UInt8] = [0xFF, 0xFF]
        try socket.http.send(
            socket.frame(opcode: 1, payload: [0x61])
                + socket.frame(opcode: 1, payload: damaged, isCompressed: true)
        )
        // Unpacked, it would have been closed with 1007.
        try expect(socket, "Too many messages in a second.", 1013)
    }

    @Test("published messages count as well, and a new limit is in force within a second")
    func publications() throws {
        let fixture = try RelayFixture()
        fixture.set(RelaySettings(messagesPerSecond: 1))
        let body = #"{"key":"relaykey","secret":"relaysecret","channelId":"room","message":1}"#
        let request = Array(
            "POST /api/publish HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8
        )
        let client = try TestHTTPClient(port: fixture.port)
        // Both in one turn of their loop, hence at the same time.
        try client.send(request + request)
        #expect(try client.response().status == 200)
        let second = try client.response()
        #expect(second.status == 429)
        #expect(second.text == #"{"error":"Too many messages in a second."}"#)
        fixture.set(RelaySettings())
        let deadline = Deadline()
        var statuses: [Int] = []
        while statuses != [200, 200], !deadline.hasPassed {
            try client.send(request + request)
            statuses = [try client.response().status, try client.response().status]
        }
        #expect(statuses == [200, 200])
    }

    @Test("counts nobody any more when all have gone")
    func churn() throws {
        let fixture = try RelayFixture()
        fixture.set(RelaySettings(connectionLimit: 20, channelLimit: 3))
        var generator = SeededGenerator(seed: 3)
        var sockets: [TestWebSocketClient] = []
        for _ in 0..<150 {
            let channel = Int.random(in: 0..<5, using: &generator)
            let presence = Bool.random(using: &generator) ? "&presence=1" : ""
            sockets.append(try fixture.socket("c\(channel)", presence))
            if sockets.count > 25 {
                sockets.remove(at: Int.random(in: 0..<25, using: &generator)).vanish()
            }
        }
        for socket in sockets { socket.vanish() }
        while fixture.hub.counts.members > 0 { try fixture.settle() }
        #expect(fixture.hub.counts == ChannelHub.Counts())
        #expect(fixture.hub.counts(of: "relaykey") == ChannelHub.Counts())
    }

    @Test("a meter takes its limit at once, then one for each part of a second")
    func meter() {
        let meter = MessageMeter(at: 0) { 4 }
        let part: UInt64 = 250_000_000
        for _ in 0..<4 { #expect(meter.take(at: 5)) }
        #expect(!meter.take(at: 5))
        #expect(!meter.take(at: 4 + part))
        #expect(meter.take(at: 5 + part))
        #expect(!meter.take(at: 5 + part))
        for _ in 0..<4 { #expect(meter.take(at: 5 + 8 * part)) }
        #expect(!meter.take(at: 5 + 8 * part))
        let free = MessageMeter(at: 0) { nil }
        for _ in 0..<10_000 { #expect(free.take(at: 5)) }
    }

    @Test("a meter asks for its limit again after a second, and not before")
    func changedLimit() {
        let limit = Setting(1)
        let meter = MessageMeter(at: 0) { limit.value }
        #expect(meter.take(at: 1))
        limit.value = nil
        #expect(!meter.take(at: 999_999_999))
        #expect(meter.take(at: 1_000_000_000))
        #expect(meter.take(at: 1_000_000_000))
    }
}

/// A limit that an operator changes.
private final class Setting: Sendable {
    private let guarded: Guarded<Int?>

    init(_ value: Int?) {
        guarded = Guarded(value)
    }

    var value: Int? {
        get { guarded.withLock { $0 } }
        set { guarded.withLock { $0 = newValue } }
    }
}

@Suite("Storm of refused connections")
struct StormTests {
    @Test("the twentieth refusal is still said on a socket, the next connection gets 429 at once")
    func storm() throws {
        let fixture = try RelayFixture()
        let wrong = ["/v3/room?api_key=wrong", "/v3/private-a?api_key=relaykey"]
        for number in 0..<20 {
            let socket = try TestWebSocketClient(port: fixture.port, target: wrong[number % 2])
            #expect(try socket.receive() != .ended)
        }
        let client = try TestHTTPClient(port: fixture.port)
        for target in wrong + ["/v3/room?api_key=relaykey"] {
            try client.send(
                "GET",
                target,
                headers: [
                    ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                    ("Sec-WebSocket-Version", "13"),
                    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
                ]
            )
            let response = try client.response()
            #expect(response.status == 429)
            #expect(response.text == #"{"error":"Too many refused connections."}"#)
        }
        // Only sockets: those who hold the secret still publish.
        let body = #"{"key":"relaykey","secret":"relaysecret","channelId":"room","message":1}"#
        #expect(try fixture.publish(body).status == 200)
    }

    @Test("the twentieth wrong secret is still told, then nothing is looked at from that address")
    func secrets() throws {
        let fixture = try RelayFixture()
        let publication = { (secret: String) in
            #"{"key":"relaykey","secret":"\#(secret)","channelId":"room","message":1}"#
        }
        let targets = ["/api/connections", "/api/connections/sum", "/api/domains"]
        for number in 0..<5 {
            #expect(try fixture.publish(publication("wrong\(number)")).status == 401)
            for target in targets {
                let headers = [("key", "relaykey"), ("secret", "wrong\(number)")]
                #expect(try fixture.get(target, headers: headers).status == 401)
            }
        }
        let published = try fixture.publish(publication("relaysecret"))
        #expect(published.status == 429)
        #expect(published.text == #"{"error":"Too many refused requests."}"#)
        for target in targets {
            let headers = [("key", "relaykey"), ("secret", "relaysecret")]
            #expect(try fixture.get(target, headers: headers).status == 429)
        }
        // Sockets show no secret.
        #expect(try fixture.socket("room").settle().isEmpty)
    }

    @Test("nineteen wrong secrets keep nobody out")
    func fewWrongSecrets() throws {
        let fixture = try RelayFixture()
        for _ in 0..<19 {
            #expect(try fixture.get("/api/domains", headers: [("key", "relaykey")]).status == 401)
        }
        let headers = [("key", "relaykey"), ("secret", "relaysecret")]
        #expect(try fixture.get("/api/domains", headers: headers).status == 200)
    }

    @Test("a bad channel, a limit or a damaged handshake is no failed proof")
    func others() throws {
        let fixture = try RelayFixture(channelLimits: ChannelLimits(membersPerChannel: 0))
        for _ in 0..<25 {
            for target in ["/v3/a%00?api_key=relaykey", "/v3/room?api_key=relaykey"] {
                let socket = try TestWebSocketClient(port: fixture.port, target: target)
                #expect(try socket.receive() != .ended)
            }
            #expect(try fixture.get("/v3/room?api_key=wrong").status == 426)
        }
    }
}
