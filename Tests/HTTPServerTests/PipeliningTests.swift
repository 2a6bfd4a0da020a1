import EventLoops
import HTTPServer
import HatoTesting
import HatoWire
import Testing

@Suite("Pipelining")
struct PipeliningTests {
    @Test("answers a hundred requests in order, sync and async mixed", arguments: [1, 2])
    func hundred(loops: Int) throws {
        let pool = try WorkerPool(name: "later", threads: 1, queueLimit: 10)
        defer { pool.close() }
        try withServer(loops: loops, router: .withAsync(pool)) { _, port in
            let client = try TestHTTPClient(port: port)
            var requests = ""
            for number in 0..<100 {
                let target = number % 2 == 0 ? "/n/\(number)" : "/"
                requests += "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
            }
            try client.send(requests)
            for number in 0..<100 {
                #expect(
                    try client.response().text == (number % 2 == 0 ? "\(number) true" : "hello")
                )
            }
        }
    }

    @Test("stops reading a client that pipelines and does not read, then answers all of it")
    func backPressure() throws {
        let body = [UInt8](repeating: 0x79, count: 10_000)
        let count = try Mailbox<Bool>()
        var router = Router()
        router.on(
            .get,
            "/",
            .sync { _ in
                count.put(true)
                return Response(status: 200, body: body)
            }
        )
        try withServer(router: router) { _, port in
            let client = try TestHTTPClient(port: port, receiveBufferBytes: 4_096)
            let requests = Array(
                String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 900).utf8
            )
            try client.send(requests)
            // 9 MB of answers can't fit into the kernel's buffers: most are not made yet.
            for _ in 0..<10 { #expect(try client.response().body == body) }
            #expect(try count.all().count < 890)
            for _ in 10..<900 { #expect(try client.response().body == body) }
        }
    }

    @Test("holds back later requests while an earlier one is answered")
    func oneAtATime() throws {
        let gate = try Mailbox<Bool>()
        let pool = try WorkerPool(name: "gate", threads: 1, queueLimit: 10)
        let started = try Mailbox<String>()
        var router = Router()
        router.on(
            .get,
            "/{name}",
            .async { context in
                started.put(context.parameter(0))
                if context.parameter(0) == "first" {
                    _ = try? await pool.run { _ in try? gate.next("the gate") }
                }
                return .text(context.parameter(0))
            }
        )
        try withServer(router: router) { _, port in
            let client = try TestHTTPClient(port: port)
            try client.send("GET", "/first")
            #expect(try started.next() == "first")
            // Far more than two reads of the loop.
            let later = String(
                repeating:
                    "GET /later HTTP/1.1\r\nHost: a\r\nX-Fill: \(String(repeating: "f", count: 5_000))\r\n\r\n",
                count: 100
            )
            let descriptor = client.socket.descriptor
            let sender = try SystemThread(name: "sender") {
                sendAll(Array(later.utf8), on: descriptor)
            }
            let other = try TestHTTPClient(port: port)
            #expect(try other.request("GET", "/other").text == "other")
            #expect(try started.all() == ["other"])
            gate.put(true)
            #expect(try client.response().text == "first")
            for _ in 0..<100 { #expect(try client.response().text == "later") }
            sender.join()
        }
        pool.close()
    }

    @Test("drops the answer of a client that has left meanwhile")
    func clientLeft() throws {
        let gate = try Mailbox<Bool>()
        let started = try Mailbox<Bool>()
        let pool = try WorkerPool(name: "gate", threads: 1, queueLimit: 10)
        var router = Router.simple()
        router.on(
            .get,
            "/wait",
            .async { _ in
                started.put(true)
                _ = try? await pool.run { _ in try? gate.next("the gate") }
                return .text("too late")
            }
        )
        try withServer(router: router) { _, port in
            for _ in 0..<5 {
                let leaving = try TestHTTPClient(port: port)
                try leaving.send("GET", "/wait")
                _ = try started.next()
                leaving.socket.reset()
                // Takes the slot that the other has left.
                let staying = try TestHTTPClient(port: port)
                #expect(try staying.request("GET", "/").text == "hello")
                gate.put(true)
                #expect(try staying.request("GET", "/").text == "hello")
            }
        }
        pool.close()
    }

    @Test("begins no further request while a large answer waits to be written, sync or async")
    func oneLargeAnswer() throws {
        let pool = try WorkerPool(name: "later", threads: 1, queueLimit: 10)
        defer { pool.close() }
        let started = try Mailbox<String>()
        let gate = try Mailbox<Bool>()
        // More than the kernel's buffers take.
        let body = [UInt8](repeating: 0x79, count: 16_000_000)
        var router = Router()
        router.on(
            .get,
            "/sync",
            .sync { _ in
                started.put("large")
                return Response(status: 200, body: body)
            }
        )
        router.on(
            .get,
            "/async",
            .async { _ in
                started.put("large")
                _ = try? await pool.run { _ in try? gate.next("the gate") }
                return Response(status: 200, body: body)
            }
        )
        router.on(
            .get,
            "/other",
            .async { _ in
                _ = try? await pool.run { _ in 0 }
                return .text("other")
            }
        )
        try withServer(router: router) { _, port in
            for target in ["/sync", "/async"] {
                let client = try TestHTTPClient(port: port, receiveBufferBytes: 65_536)
                let other = try TestHTTPClient(port: port)
                try client.send(
                    String(repeating: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", count: 3)
                )
                #expect(try started.next() == "large")
                // The loop has left the handler: an async one waits, and answers later.
                #expect(try other.request("GET", "/none").status == 404)
                if target == "/async" { gate.put(true) }
                // By the same pool and loop: the large answer was made before this one.
                #expect(try other.request("GET", "/other").text == "other")
                #expect(try started.all().isEmpty)
                if target == "/async" { for _ in 0..<2 { gate.put(true) } }
                for _ in 0..<3 {
                    // Compared outside of the expectation, which would describe all of it.
                    let isWhole = try client.response().body == body
                    #expect(isWhole)
                }
                #expect(try started.all().count == 2)
            }
        }
    }
}
