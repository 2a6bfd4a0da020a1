import EventLoops
import HTTPServer
import HatoTesting
import HatoWire
import Testing

@Suite("HTTPSession")
struct HTTPSessionTests {
    @Test("keeps a connection over many requests, and dates every answer")
    func keepAlive() throws {
        try withServer(router: .simple()) { _, port in
            let client = try TestHTTPClient(port: port)
            for round in 0..<10 {
                let greeting = try client.request("GET", "/")
                #expect(greeting.status == 200 && greeting.text == "hello")
                #expect(greeting["Date"]?.hasSuffix(" GMT") == true)
                #expect(greeting["Content-Length"] == "5")
                #expect(greeting["Connection"] == nil)
                let echo = try client.request("POST", "/echo", text: "round \(round)")
                #expect(echo.text == "round \(round)")
                #expect(echo["Content-Type"] == "application/json")
            }
        }
    }

    @Test("closes after Connection: close, and answers nothing behind it")
    func close() throws {
        try withServer(router: .simple()) { _, port in
            let client = try TestHTTPClient(port: port)
            try client.send("GET", "/", headers: [("Connection", "close")])
            try client.send("GET", "/")
            let response = try client.response()
            #expect(response.status == 200 && response["Connection"] == "close")
            #expect(try client.isClosedByPeer())
        }
    }

    @Test("closes an HTTP/1.0 connection unless keep-alive is asked, and says so")
    func oldVersion() throws {
        try withServer(router: .simple()) { _, port in
            let plain = try TestHTTPClient(port: port)
            try plain.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try plain.response().text == "hello")
            #expect(try plain.isClosedByPeer())
            let kept = try TestHTTPClient(port: port)
            for _ in 0..<3 {
                try kept.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let response = try kept.response()
                #expect(response.status == 200 && response["Connection"] == "keep-alive")
            }
        }
    }

    @Test("answers HEAD with GET's head and no body")
    func head() throws {
        try withServer(router: .simple()) { _, port in
            let client = try TestHTTPClient(port: port)
            let response = try client.request("HEAD", "/")
            #expect(response.status == 200 && response["Content-Length"] == "5")
            #expect(try client.request("GET", "/").text == "hello")
        }
    }

    @Test("tolerates a slash at the end and a question mark with nothing behind it")
    func tolerantTargets() throws {
        var router = Router()
        router.on(.get, "/a/{x}", .sync { .text($0.parameter(0)) })
        try withServer(router: router) { _, port in
            let client = try TestHTTPClient(port: port)
            for target in ["/a/b%20c", "/a/b%20c/", "/a/b%20c?", "/a/b%20c/?", "/a/b%20c?q=1"] {
                #expect(try client.request("GET", target).text == "b c")
            }
        }
    }

    @Test("says 404 and 405 by the hook, with Allow, and goes on")
    func failures() throws {
        var configuration = HTTPConfiguration()
        configuration.renderFailure = { failure in
            .json(Array("{\"code\":\(failure.status)}".utf8), status: failure.status)
        }
        try withServer(router: .simple(), configuration: configuration) { _, port in
            let client = try TestHTTPClient(port: port)
            let missing = try client.request("GET", "/nothing")
            #expect(missing.status == 404 && missing.text == "{\"code\":404}")
            let wrong = try client.request("DELETE", "/echo")
            #expect(wrong.status == 405 && wrong["Allow"] == "POST, OPTIONS")
            #expect(wrong.text == "{\"code\":405}")
            let malformed = try TestHTTPClient(port: port)
            try malformed.send("GET / HTTP/1.1\r\nBroken\r\n\r\n")
            let response = try malformed.response()
            #expect(response.status == 400 && response.text == "{\"code\":400}")
            #expect(response["Connection"] == "close")
            #expect(try malformed.isClosedByPeer())
            #expect(try client.request("GET", "/").status == 200)
        }
    }

    @Test("lets browsers in: preflight, any origin, the signature readable")
    func crossOrigin() throws {
        try withServer(router: .simple()) { _, port in
            let client = try TestHTTPClient(port: port)
            let preflight = try client.request(
                "OPTIONS",
                "/echo",
                headers: [
                    ("Origin", "https://app.example"), ("Access-Control-Request-Method", "POST"),
                    ("Access-Control-Request-Headers", "content-type,x-ncmb-application-key"),
                ]
            )
            #expect(preflight.status == 204 && preflight["Content-Length"] == nil)
            #expect(preflight["Access-Control-Allow-Origin"] == "*")
            #expect(preflight["Access-Control-Allow-Methods"] == "POST, OPTIONS")
            #expect(
                preflight["Access-Control-Allow-Headers"] == "content-type,x-ncmb-application-key"
            )
            let actual = try client.request("GET", "/", headers: [("Origin", "null")])
            #expect(actual["Access-Control-Allow-Origin"] == "*")
            #expect(actual["Access-Control-Expose-Headers"] == "X-NCMB-Response-Signature")
            #expect(try client.request("GET", "/")["Access-Control-Allow-Origin"] == nil)
            #expect(try client.request("OPTIONS", "*")["Allow"] == "GET, HEAD, POST, OPTIONS")
            #expect(try client.request("OPTIONS", "/nothing").status == 404)
        }
    }

    @Test("leaves out a field that could break the head")
    func headerInjection() throws {
        var router = Router()
        router.on(
            .get,
            "/",
            .sync { _ in
                Response(
                    status: 200,
                    headers: [("X-Good", "1"), ("X-Bad", "1\r\nEvil: 1"), ("X Bad", "1")]
                )
            }
        )
        try withServer(router: router) { _, port in
            let response = try TestHTTPClient(port: port).request("GET", "/")
            #expect(response.headers.map(\.name) == ["Date", "Content-Length", "X-Good"])
        }
    }

    @Test("asks for the body that a client holds back, and not when it is too large")
    func expectContinue() throws {
        var router = Router.simple()
        router.on(.post, "/small", bodyLimitBytes: 10, .sync { .json($0.request.body) })
        try withServer(router: router) { _, port in
            let client = try TestHTTPClient(port: port)
            for target in ["/echo", "/small"] {
                try client.send(
                    "POST",
                    target,
                    headers: [("Expect", "100-continue"), ("Content-Length", "5")]
                )
                #expect(try client.response().status == 100)
                try client.send("hello")
                #expect(try client.response().text == "hello")
            }
            try client.send(
                "POST",
                "/small",
                headers: [("Expect", "100-continue"), ("Content-Length", "11")]
            )
            #expect(try client.response().status == 413)
            #expect(try client.isClosedByPeer())
        }
    }

    @Test("takes a body at the limit and refuses one byte more, the server's and a route's own")
    func bodyLimits() throws {
        var router = Router.simple()
        router.on(.post, "/small", bodyLimitBytes: 10, .sync { .json($0.request.body) })
        router.on(.post, "/large", bodyLimitBytes: 200, .sync { .json($0.request.body) })
        var configuration = HTTPConfiguration()
        configuration.limits.bodyBytes = 100
        try withServer(router: router, configuration: configuration) { _, port in
            for (target, limit) in [("/echo", 100), ("/small", 10), ("/large", 200)] {
                let client = try TestHTTPClient(port: port)
                let fitting = [UInt8](repeating: 0x78, count: limit)
                #expect(try client.request("POST", target, body: fitting).body == fitting)
                #expect(try client.request("POST", target, body: fitting + [0x78]).status == 413)
                #expect(try client.isClosedByPeer())
            }
        }
    }

    @Test("answers a request whose FIN comes right behind it", arguments: ["/", "/later"])
    func halfClose(target: String) throws {
        let pool = try WorkerPool(name: "later", threads: 1, queueLimit: 10)
        defer { pool.close() }
        try withServer(router: .withAsync(pool)) { _, port in
            let client = try TestHTTPClient(port: port)
            try client.send("GET", target)
            try client.send("GET", target)
            client.finishSending()
            #expect(try client.response().status == 200)
            #expect(try client.response().status == 200)
            #expect(try client.isClosedByPeer())
        }
    }

    @Test("does not act on a request that is cut off")
    func cutOff() throws {
        let acted = try Mailbox<Bool>()
        var router = Router()
        router.on(
            .post,
            "/",
            .sync { _ in
                acted.put(true)
                return .text("done")
            }
        )
        try withServer(router: router) { _, port in
            let client = try TestHTTPClient(port: port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345")
            client.finishSending()
            #expect(try client.isClosedByPeer())
            #expect(try acted.all().isEmpty)
        }
    }

    @Test("reads requests that come one byte a segment")
    func bytewise() throws {
        try withServer(router: .simple()) { _, port in
            let client = try TestHTTPClient(port: port)
            let text =
                "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: a\r\n\r\n"
            for byte in text.utf8 { try client.send([byte]) }
            #expect(try client.response().text == "abc")
            #expect(try client.response().text == "hello")
        }
    }

    @Test("sends a body of many megabytes to a slow reader whole")
    func largeBody() throws {
        // No divisor of any buffer's size, so that a piece in the wrong place shows.
        let line = Array("0123456789abcdefghijklmnopqrstuvwxyz\n".utf8)
        var body = line
        while body.count < 7_000_000 { body += body }
        let length = String(body.count)
        let answer = Response(status: 200, contentType: .bytes, body: body)
        var router = Router()
        router.on(.get, "/", .sync { _ in answer })
        try withServer(router: router) { _, port in
            let client = try TestHTTPClient(port: port, receiveBufferBytes: 8_192)
            #expect(try client.request("GET", "/").body == body)
            #expect(try client.request("HEAD", "/")["Content-Length"] == length)
        }
    }
}

extension Router {
    /// `simple` with `GET /later`, which answers from another thread, and `GET /n/{number}`.
    ///
    /// Tests block the threads of Swift's own pool: a task without an executor might never run.
    static func withAsync(_ pool: WorkerPool) -> Router {
        var router = Router.simple()
        router.on(
            .get,
            "/later",
            .async { _ in
                let text = try? await pool.run { _ in "later" }
                return .text(text ?? "full")
            }
        )
        router.on(
            .get,
            "/n/{number}",
            .async { context in
                let number = Int(context.parameter(0)) ?? 0
                if number % 3 == 0 { _ = try? await pool.run { _ in 0 } }
                return .text("\(number) \(context.loop.isCurrent)")
            }
        )
        return router
    }
}
