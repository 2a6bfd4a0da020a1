import EventLoops
import HTTPServer
import HatoTesting
import HatoWire
import Testing

@Suite("Outbox by TLS")
struct TLSOutboxTests {
    /// Sends a frame that no socket takes at once, and one-byte frames behind it until one is refused.
    private final class Flooder: WebSocketHandler {
        private let taken: Mailbox<Int>

        init(_ taken: Mailbox<Int>) {
            self.taken = taken
        }

        func opened(_ socket: WebSocket) {}

        func received(_ message: [UInt8], isText: Bool, on socket: WebSocket) {
            let large = [UInt8](repeating: 7, count: TLSOutboxTests.largeBytes)
            var count = socket.send(WebSocket.frame(large.span, isText: false)) ? 1 : 0
            let small = WebSocket.frame([8].span, isText: false)
            while count < 2_000, socket.send(small) { count += 1 }
            taken.put(count)
        }

        func closed(on socket: WebSocket) {}
    }

    private static let largeBytes = 16_777_216

    @Test("takes as many frames as the limit says although all are one stream, and no more")
    func frames() throws {
        let taken = try Mailbox<Int>()
        var router = Router()
        let options = WebSocketOptions(outbox: OutboxLimits(bytes: 67_108_864, frames: 1_000))
        router.on(.get, "/flood", .webSocket { _ in .accept(options, Flooder(taken)) })
        let server = try TLSServer(router: router)
        let socket = try TestWebSocketClient(
            port: server.port,
            target: "/flood",
            receiveBufferBytes: 4_096,
            tls: TestTLS()
        )
        try socket.send(text: "now")
        #expect(try taken.next() == 1_000)
        guard case .binary(let large) = try socket.receive() else {
            Issue.record("no large frame")
            return
        }
        #expect(large.count == Self.largeBytes)
        // What was not begun is dropped for the last word, as in the clear.
        #expect(try socket.receive() == .close(code: 1013, reason: "too slow"))
    }
}
