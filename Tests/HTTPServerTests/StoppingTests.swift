import EventLoops
import Glibc
import HTTPServer
import HatoTesting
import HatoWire
import Testing

@Suite("Graceful stop")
struct StoppingTests {
    @Test("answers what is in flight, closes idle connections and WebSockets, in under a second")
    func stop() throws {
        let gate = try Mailbox<Bool>()
        let started = try Mailbox<Bool>()
        let pool = try WorkerPool(name: "gate", threads: 1, queueLimit: 10)
        var router = Router.withSocket()
        router.on(
            .get,
            "/wait",
            .async { _ in
                started.put(true)
                _ = try? await pool.run { _ in try? gate.next("the gate") }
                return .text("in time")
            }
        )
        let group = try EventLoopGroup(count: 2, limits: LoopLimits())
        let server = HTTPServer(group: group, router: router)
        let port = Int(try server.listen(ListenAddress(host: "127.0.0.1", port: 0)))
        try group.start()
        let waiting = try TestHTTPClient(port: port)
        try waiting.send("GET", "/wait")
        _ = try started.next()
        let idle = try TestHTTPClient(port: port)
        #expect(try idle.request("GET", "/").status == 200)
        let silent = try TestHTTPClient(port: port)
        let socket = try TestWebSocketClient(port: port, target: "/socket")
        let deaf = try TestWebSocketClient(port: port, target: "/socket")
        let start = ContinuousClock.now
        let stopped = try Mailbox<Bool>()
        let stopper = try SystemThread(name: "stopper") {
            server.stop(within: .seconds(5))
            stopped.put(true)
        }
        #expect(try socket.receive() == .close(code: 1001, reason: "server stops"))
        try socket.sendClose(code: 1001)
        #expect(try socket.receive() == .ended)
        gate.put(true)
        let answer = try waiting.response()
        #expect(answer.text == "in time" && answer["Connection"] == "close")
        #expect(try idle.isClosedByPeer())
        #expect(try silent.isClosedByPeer())
        deaf.vanish()
        _ = try stopped.next()
        group.stop()
        stopper.join()
        #expect(ContinuousClock.now - start < .seconds(1))
        pool.close()
    }

    @Test("the echo server stops cleanly at SIGTERM, and a second one on its port says why not")
    func program() throws {
        let server = try ChildProcess("echo-server", ["--listen", "127.0.0.1:0"])
        let line = try server.line(containing: "listening on")
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        #expect(try TestHTTPClient(port: port).request("GET", "/").status == 200)
        #expect(
            try ChildProcess("echo-server", ["--listen", "127.0.0.1:\(port)"]).wait() == .exited(1)
        )
        let socket = try TestWebSocketClient(port: port, target: "/echo")
        try socket.send(text: "hi")
        #expect(try socket.receive() == .text("hi"))
        let start = ContinuousClock.now
        server.send(SIGTERM)
        #expect(try socket.receive() == .close(code: 1001, reason: "server stops"))
        try socket.sendClose(code: 1001)
        #expect(try server.wait() == .exited(0))
        #expect(ContinuousClock.now - start < .seconds(2))
    }

    @Test("a second signal ends a program that is still stopping, at once and with 1")
    func secondSignal() throws {
        let server = try ChildProcess("echo-server", ["--listen", "127.0.0.1:0"])
        let line = try server.line(containing: "listening on")
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        let socket = try TestWebSocketClient(port: port, target: "/echo")
        server.send(SIGINT)
        #expect(try socket.receive() == .close(code: 1001, reason: "server stops"))
        // It waits for our close frame.
        server.send(SIGTERM)
        #expect(try server.wait() == .exited(1))
    }

    @Test(
        "the echo server refuses a wrong command line with 2",
        arguments: [[], ["--listen"], ["--listen", "nowhere"], ["--port", "80"]]
    )
    func usage(arguments: [String]) throws {
        #expect(try ChildProcess("echo-server", arguments).wait() == .exited(2))
    }

    @Test("an idle connection costs the server little memory")
    func idleMemory() throws {
        let server = try ChildProcess("echo-server", ["--listen", "127.0.0.1:0", "--loops", "1"])
        let line = try server.line(containing: "listening on")
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        func residentBytes() throws -> Int {
            let file = try #require(fopen("/proc/\(server.pid)/statm", "r"))
            defer { fclose(file) }
            var text = [UInt8](repeating: 0, count: 256)
            let count = fread(&text, 1, text.count, file)
            let fields = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
            return try #require(Int(fields[1])) * 4_096
        }
        func open(_ count: Int) throws -> [TestHTTPClient] {
            try (0..<count).map { _ in
                let client = try TestHTTPClient(port: port)
                #expect(try client.request("GET", "/").status == 200)
                return client
            }
        }
        var clients = try open(300)
        let before = try residentBytes()
        clients += try open(600)
        let growth = try residentBytes() - before
        // About 220 bytes each in a release build; a sanitizer multiplies them. No room for a buffer.
        #expect(growth < 600 * 2_000)
        for client in clients { client.close() }
    }
}
