import EventLoops
import HatoTesting
import HatoWire
import Testing

@testable import HTTPServer

@Suite("HTTPSession with a bounded outbox")
struct HTTPSessionOverflowTests {
    @Test("drops a connection whose answers have no room, and goes on serving others")
    func overflow() throws {
        let body = [UInt8](repeating: 0x79, count: 16_000_000)
        var router = Router.simple()
        router.on(.get, "/large", .sync { _ in Response(status: 200, body: body) })
        var configuration = HTTPConfiguration()
        // Nothing is held back, so that the second answer meets the outbox's limit.
        configuration.pipelineMarkBytes = .max
        let group = try EventLoopGroup(count: 1, limits: LoopLimits())
        let (routes, choices) = (router, configuration)
        let port = try group.listen(ListenAddress(host: "127.0.0.1", port: 0)) { connection in
            let shared = HTTPLoop(loop: connection.loop, router: routes, configuration: choices)
            let session = HTTPSession(shared: shared, connection: connection)
            connection.outboxLimits = OutboxLimits(bytes: 1_000, frames: 10)
            return session
        }
        try group.start()
        defer {
            group.drain(within: .milliseconds(500))
            group.stop()
        }
        let greedy = try TestHTTPClient(port: Int(port), receiveBufferBytes: 4_096)
        try greedy.send(String(repeating: "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", count: 2))
        #expect(throws: TestFailure.self) { try greedy.response() }
        let other = try TestHTTPClient(port: Int(port))
        #expect(try other.request("GET", "/").text == "hello")
    }
}
