import EventLoops
import HTTPServer
import HatoTesting
import HatoWire
import Testing

@Suite("HTTP deadlines")
struct DeadlineTests {
    private func configuration(
        head: Int = 60_000,
        body: Int = 60_000,
        idle: Int = 60_000
    )
        -> HTTPConfiguration
    {
        var configuration = HTTPConfiguration()
        configuration.headDeadline = .milliseconds(head)
        configuration.bodyDeadline = .milliseconds(body)
        configuration.idleDeadline = .milliseconds(idle)
        return configuration
    }

    @Test("closes a connection that says nothing, without an answer")
    func silent() throws {
        try withServer(router: .simple(), configuration: configuration(head: 30)) { _, port in
            let client = try TestHTTPClient(port: port)
            #expect(try client.bytesToEnd().isEmpty)
        }
    }

    @Test("answers 408 to a head that does not come, however it trickles")
    func slowHead() throws {
        try withServer(router: .simple(), configuration: configuration(head: 50)) { _, port in
            let start = ContinuousClock.now
            let client = try TestHTTPClient(port: port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
            #expect(try client.response().status == 408)
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            #expect(try client.isClosedByPeer())
            // Also of a second request, from its first byte on.
            let second = try TestHTTPClient(port: port)
            #expect(try second.request("GET", "/").status == 200)
            try second.send("GET / HT")
            #expect(try second.response().status == 408)
        }
    }

    @Test("answers 408 to a body that does not come in all its time")
    func slowBody() throws {
        try withServer(router: .simple(), configuration: configuration(body: 50)) { _, port in
            let client = try TestHTTPClient(port: port)
            try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
            #expect(try client.response().status == 408)
            #expect(try client.isClosedByPeer())
        }
    }

    @Test("closes a connection that idles after an answer, without a further one")
    func idle() throws {
        try withServer(router: .simple(), configuration: configuration(idle: 40)) { _, port in
            let client = try TestHTTPClient(port: port)
            // The span begins with the turn that answers, which may be over before the answer is read.
            let start = ContinuousClock.now
            #expect(try client.request("GET", "/").status == 200)
            #expect(try client.isClosedByPeer())
            #expect(ContinuousClock.now - start >= .milliseconds(30))
        }
    }

    @Test("sets no deadline on a handler that takes its time")
    func slowHandler() throws {
        let pool = try WorkerPool(name: "slow", threads: 1, queueLimit: 10)
        let gate = try Mailbox<Bool>()
        var router = Router()
        router.on(
            .get,
            "/",
            .async { _ in
                _ = try? await pool.run { _ in try? gate.next("the gate") }
                return .text("done")
            }
        )
        let short = configuration(head: 20, body: 20, idle: 20)
        try withServer(router: router, configuration: short) { _, port in
            let client = try TestHTTPClient(port: port)
            try client.send("GET", "/")
            // Long enough for other connections' deadlines to ring.
            #expect(try TestHTTPClient(port: port).isClosedByPeer())
            #expect(try TestHTTPClient(port: port).isClosedByPeer())
            gate.put(true)
            #expect(try client.response().text == "done")
        }
        pool.close()
    }
}
