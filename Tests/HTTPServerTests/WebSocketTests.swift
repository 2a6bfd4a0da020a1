import EventLoops
import HTTPServer
import HatoTesting
import HatoWire
import Synchronization
import Testing

/// Echoes, and tells what happens.
private final class Echo: WebSocketHandler {
    let log: Mailbox<String>

    init(_ log: Mailbox<String>) {
        self.log = log
    }

    func opened(_ socket: WebSocket) {
        log.put("opened")
    }

    func received(_ message: [UInt8], isText: Bool, on socket: WebSocket) {
        switch String(decoding: message, as: UTF8.self) {
        case "close": socket.close(code: 4_000, reason: "as asked")
        case "flood": flood(socket)
        default: socket.send(message, isText: isText)
        }
    }

    func closed(on socket: WebSocket) {
        log.put("closed")
    }

    /// Sends until the outbox refuses.
    private func flood(_ socket: WebSocket) {
        let frame = WebSocket.frame([UInt8](repeating: 0x61, count: 50_000).span, isText: true)
        while socket.send(frame) {}
        log.put("refused")
    }
}

extension Router {
    /// `simple` with a WebSocket that echoes at `/socket`.
    static func withSocket(
        options: WebSocketOptions = WebSocketOptions(),
        log: Mailbox<String>? = nil
    ) -> Router {
        var router = Router.simple()
        router.on(
            .get,
            "/socket",
            .webSocket { _ in
                guard let log = log ?? (try? Mailbox()) else {
                    return .refuse(Response(status: 503))
                }
                return .accept(options, Echo(log))
            }
        )
        return router
    }
}

@Suite("WebSocket")
struct WebSocketTests {
    @Test("echoes text, binary, empty, fragmented and large messages")
    func echo() throws {
        try withServer(router: .withSocket()) { _, port in
            let client = try TestWebSocketClient(port: port, target: "/socket")
            try client.send(text: "żółć €")
            #expect(try client.receive() == .text("żółć €"))
            let large = [UInt8](repeating: 9, count: 200_000)
            try client.send(binary: large)
            #expect(try client.receive() == .binary(large))
            try client.send(text: "")
            #expect(try client.receive() == .text(""))
            try client.send(opcode: 1, payload: [0xE2], isFinal: false)
            try client.send(opcode: 9, payload: [1])
            try client.send(opcode: 0, payload: [0x82, 0xAC])
            #expect(try client.receive() == .pong([1]))
            #expect(try client.receive() == .text("€"))
        }
    }

    @Test("is opened by the header values of Foundation over libcurl too")
    func keepAliveUpgrade() throws {
        try withServer(router: .withSocket()) { _, port in
            let client = try TestWebSocketClient(
                port: port,
                target: "/socket",
                connection: "keep-alive"
            )
            try client.send(text: "a")
            #expect(try client.receive() == .text("a"))
        }
    }

    @Test("does not lose frames that come with the handshake")
    func early() throws {
        try withServer(router: .withSocket()) { _, port in
            let http = try TestHTTPClient(port: port)
            let helper = try TestWebSocketClient(port: port, target: "/socket")
            let head =
                "GET /socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            try http.send(Array(head.utf8) + helper.frame(opcode: 1, payload: Array("hi".utf8)))
            #expect(try http.response().status == 101)
            #expect(try http.bytes(4) == [0x81, 2] + Array("hi".utf8))
        }
    }

    @Test("refuses what is no handshake, and goes on with HTTP")
    func refused() throws {
        try withServer(router: .withSocket()) { _, port in
            let client = try TestHTTPClient(port: port)
            let plain = try client.request("GET", "/socket")
            #expect(plain.status == 426 && plain["Upgrade"] == "websocket")
            let old = try client.request(
                "GET",
                "/socket",
                headers: [
                    ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                    ("Sec-WebSocket-Version", "8"),
                    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
                ]
            )
            #expect(old.status == 426 && old["Sec-WebSocket-Version"] == "13")
            #expect(try client.request("GET", "/").status == 200)
        }
    }

    @Test("answers a close with its code, then closes the connection")
    func peerCloses() throws {
        let log = try Mailbox<String>()
        try withServer(router: .withSocket(log: log)) { _, port in
            for code in [1000, 1001, 3000, 4999] {
                let client = try TestWebSocketClient(port: port, target: "/socket")
                try client.sendClose(code: code, reason: "bye")
                #expect(try client.receive() == .close(code: code, reason: ""))
                #expect(try client.receive() == .ended)
                #expect(try log.next() == "opened")
                #expect(try log.next() == "closed")
            }
            let client = try TestWebSocketClient(port: port, target: "/socket")
            try client.sendClose(code: nil)
            #expect(try client.receive() == .close(code: nil, reason: ""))
        }
    }

    @Test("closes by itself with a code and a reason, and waits for the peer's answer")
    func serverCloses() throws {
        let log = try Mailbox<String>()
        try withServer(router: .withSocket(log: log)) { _, port in
            let client = try TestWebSocketClient(port: port, target: "/socket")
            try client.send(text: "close")
            #expect(try client.receive() == .close(code: 4_000, reason: "as asked"))
            #expect(try log.next() == "opened")
            #expect(try log.all().isEmpty)
            try client.sendClose(code: 4_000)
            #expect(try client.receive() == .ended)
            #expect(try log.next() == "closed")
        }
    }

    @Test("ends a closing handshake that the peer does not finish")
    func closeTimeout() throws {
        let log = try Mailbox<String>()
        var configuration = HTTPConfiguration()
        configuration.closeTimeout = .milliseconds(30)
        try withServer(router: .withSocket(log: log), configuration: configuration) { _, port in
            let client = try TestWebSocketClient(port: port, target: "/socket")
            try client.send(text: "close")
            #expect(try client.receive() == .close(code: 4_000, reason: "as asked"))
            #expect(try client.receive() == .ended)
            #expect(try log.next() == "opened")
            #expect(try log.next() == "closed")
        }
    }

    @Test("tells a FIN and a reset as closed")
    func gone() throws {
        let log = try Mailbox<String>()
        try withServer(router: .withSocket(log: log)) { _, port in
            let finishing = try TestWebSocketClient(port: port, target: "/socket")
            #expect(try log.next() == "opened")
            finishing.http.finishSending()
            #expect(try log.next() == "closed")
            #expect(try finishing.receive() == .close(code: 1001, reason: ""))
            let vanishing = try TestWebSocketClient(port: port, target: "/socket")
            #expect(try log.next() == "opened")
            vanishing.vanish()
            #expect(try log.next() == "closed")
        }
    }

    @Test("pings, keeps who answers and drops who does not after two")
    func pings() throws {
        let log = try Mailbox<String>()
        var configuration = HTTPConfiguration()
        configuration.pingInterval = .milliseconds(20)
        try withServer(router: .withSocket(log: log), configuration: configuration) { _, port in
            let answering = try TestWebSocketClient(port: port, target: "/socket")
            for _ in 0..<5 {
                let frame = try #require(try answering.receiveFrame())
                #expect(frame.opcode == 9)
                try answering.send(opcode: 10, payload: frame.payload)
            }
            #expect(try log.all() == ["opened"])
            answering.vanish()
            #expect(try log.next() == "closed")
            let deaf = try TestWebSocketClient(port: port, target: "/socket")
            deaf.answersPings = false
            #expect(try deaf.receive() == .ping([]))
            #expect(try deaf.receive() == .ping([]))
            #expect(try log.next() == "opened")
            #expect(try log.next("the deaf one's end") == "closed")
        }
    }

    @Test("takes a message at the limit and closes with 1009 one byte past it")
    func messageLimit() throws {
        let options = WebSocketOptions(messageLimitBytes: 1_000)
        try withServer(router: .withSocket(options: options)) { _, port in
            let client = try TestWebSocketClient(port: port, target: "/socket")
            let fitting = [UInt8](repeating: 1, count: 1_000)
            try client.send(binary: fitting)
            #expect(try client.receive() == .binary(fitting))
            try client.send(binary: fitting + [1])
            #expect(try client.receive() == .close(code: 1009, reason: ""))
            #expect(try client.receive() == .ended)
        }
    }

    @Test("closes with 1013 who does not read, in a well-formed stream, and others go on")
    func overflow() throws {
        let log = try Mailbox<String>()
        let options = WebSocketOptions(outbox: OutboxLimits(bytes: 1_000_000, frames: 100))
        try withServer(router: .withSocket(options: options, log: log)) { _, port in
            let slow = try TestWebSocketClient(
                port: port,
                target: "/socket",
                receiveBufferBytes: 4_096
            )
            let other = try TestWebSocketClient(port: port, target: "/socket")
            try slow.send(text: "flood")
            #expect(try [log.next(), log.next()] == ["opened", "opened"])
            #expect(try log.next() == "refused")
            // Told before the peer has read a byte of it.
            #expect(try log.next() == "closed")
            try other.send(text: "still here")
            #expect(try other.receive() == .text("still here"))
            var last = try slow.receive()
            while case .text(let text) = last {
                #expect(text.utf8.count == 50_000)
                last = try slow.receive()
            }
            #expect(last == .close(code: 1013, reason: "too slow"))
        }
    }

    @Test("stops reading an echo whose client does not read, and loses nothing")
    func backPressure() throws {
        let options = WebSocketOptions(
            outbox: OutboxLimits(bytes: 3_000_000, frames: 1_000),
            pausesReadingAtBytes: 100_000
        )
        try withServer(router: .withSocket(options: options)) { _, port in
            let client = try TestWebSocketClient(
                port: port,
                target: "/socket",
                receiveBufferBytes: 4_096
            )
            let message = [UInt8](repeating: 4, count: 60_000)
            let frame = client.frame(opcode: 2, payload: message)
            var gathered: [UInt8] = []
            for _ in 0..<100 { gathered += frame }
            let frames = gathered
            let descriptor = client.http.socket.descriptor
            let sender = try SystemThread(name: "sender") { sendAll(frames, on: descriptor) }
            for _ in 0..<100 { #expect(try client.receive() == .binary(message)) }
            sender.join()
        }
    }
}
