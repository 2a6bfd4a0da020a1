import HatoTesting
import Testing

import HTTPServer

@testable import TransportSecurity

/// HTTP and WebSocket by TLS, as clients meet them.
@Suite("TLS")
struct TLSTests {
    @Test(
        "serves REST by TLS 1.2 and 1.3, with keys of both kinds",
        arguments: [
            (TestTLS.Version.oneTwo, "ec"), (.oneThree, "ec"), (.oneTwo, "rsa"), (.oneThree, "rsa"),
        ]
    )
    func rest(version: TestTLS.Version, kind: String) throws {
        let server = try TLSServer(kind: kind)
        let client = try TestHTTPClient(port: server.port, tls: TestTLS(version))
        let body = Array("\"a text\"".utf8)
        for _ in 0..<3 {
            #expect(try client.request("POST", "/echo", body: body).body == body)
        }
        #expect(try client.request("GET", "/").text == "secure")
        let tls = try #require(client.socket.tls)
        #expect(tls.version == (version == .oneTwo ? "TLSv1.2" : "TLSv1.3"))
        #expect(tls.agreedProtocol == "http/1.1")
        #expect(tls.cipher.contains("GCM"))
    }

    @Test("refuses TLS 1.0 and 1.1 by an alert", arguments: [TestTLS.Version.one, .oneOne])
    func old(version: TestTLS.Version) throws {
        let server = try TLSServer()
        let failure = try #require(throws: TestFailure.self) {
            try TestSocket(port: server.port, tls: TestTLS(version))
        }
        #expect("\(failure)".contains("alert protocol version"))
    }

    @Test("agrees on http/1.1 when it is offered, and on nothing when nothing is")
    func protocols() throws {
        let server = try TLSServer()
        let both = try TestSocket(port: server.port, tls: TestTLS(protocols: ["h2", "http/1.1"]))
        #expect(both.tls?.agreedProtocol == "http/1.1")
        let none = try TestHTTPClient(port: server.port, tls: TestTLS(protocols: []))
        #expect(none.socket.tls?.agreedProtocol == nil)
        #expect(try none.request("GET", "/").status == 200)
    }

    @Test("refuses a client that offers other protocols only, with the alert of RFC 7301")
    func otherProtocols() throws {
        let server = try TLSServer()
        let failure = try #require(throws: TestFailure.self) {
            try TestSocket(port: server.port, tls: TestTLS(protocols: ["h2", "http/1.10"]))
        }
        #expect("\(failure)".contains("no application protocol"))
    }

    @Test("carries a WebSocket, and ends it with a close frame and close_notify")
    func webSocket() throws {
        let server = try TLSServer()
        let socket = try TestWebSocketClient(port: server.port, target: "/socket", tls: TestTLS())
        let long = [UInt8](repeating: 7, count: 100_000)
        try socket.send(text: "hello")
        try socket.send(binary: long)
        #expect(try socket.receive() == .text("hello"))
        #expect(try socket.receive() == .binary(long))
        try socket.sendClose()
        #expect(try socket.receive() == .close(code: 1000, reason: ""))
        #expect(try socket.receive() == .ended)
        #expect(socket.http.socket.tls?.isFinishedByPeer == true)
    }

    @Test(
        "takes handshake, requests and close_notify one byte at a time",
        arguments: [
            TestTLS.Version.oneTwo, .oneThree,
        ]
    )
    func byteByByte(version: TestTLS.Version) throws {
        let server = try TLSServer()
        let tls = try TestTLS(version)
        let socket = try TestSocket(port: server.port)
        var isOver = false
        while !isOver {
            isOver = try tls.shakeHands()
            for byte in tls.takeOutput() { try socket.send([byte]) }
            guard !isOver else { break }
            var bytes: [UInt8] = []
            #expect(try socket.receive(into: &bytes, awaiting: "a handshake"))
            tls.feed(bytes)
        }
        try tls.write(Array("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}".utf8))
        for byte in tls.takeOutput() { try socket.send([byte]) }
        tls.finish()
        for byte in tls.takeOutput() { try socket.send([byte]) }
        var answer: [UInt8] = []
        var bytes: [UInt8] = []
        while try socket.receive(into: &bytes, awaiting: "the answer") {
            tls.feed(bytes)
            bytes = []
            try tls.read(into: &answer)
        }
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        #expect(String(decoding: answer, as: UTF8.self).hasSuffix("\r\n\r\n{}"))
        #expect(tls.isFinishedByPeer)
    }

    @Test("answers what was asked before a close_notify, then says close_notify and closes")
    func halfClose() throws {
        let server = try TLSServer()
        let client = try TestHTTPClient(port: server.port, tls: TestTLS())
        let tls = try #require(client.socket.tls)
        try client.send("GET", "/")
        tls.finish()
        try client.socket.sendRaw(tls.takeOutput())
        #expect(try client.response().text == "secure")
        #expect(try client.bytesToEnd().isEmpty)
    }

    @Test("says close_notify after an answer that is the last, and FIN after it")
    func lastAnswer() throws {
        let server = try TLSServer()
        let client = try TestHTTPClient(port: server.port, tls: TestTLS())
        let answer = try client.request("GET", "/", headers: [("Connection", "close")])
        #expect(answer.status == 200)
        #expect(try client.bytesToEnd().isEmpty)
        var rest: [UInt8] = []
        #expect(try !client.socket.receiveRaw(into: &rest, awaiting: "FIN"))
    }

    @Test("drops a request that is cut short by a FIN without close_notify")
    func truncation() throws {
        let server = try TLSServer()
        let client = try TestHTTPClient(port: server.port, tls: TestTLS())
        try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
        client.finishSending()
        #expect(try client.bytesToEnd().isEmpty)
    }

    @Test("resumes a session with a ticket", arguments: [TestTLS.Version.oneTwo, .oneThree])
    func resumption(version: TestTLS.Version) throws {
        let server = try TLSServer()
        let first = try TestHTTPClient(port: server.port, tls: TestTLS(version))
        // The tickets of TLS 1.3 come with or before the first answer.
        #expect(try first.request("GET", "/").status == 200)
        let session = try #require(first.socket.tls?.session())
        let second = try TestHTTPClient(
            port: server.port,
            tls: TestTLS(version, resuming: session)
        )
        #expect(try second.request("GET", "/").status == 200)
        #expect(first.socket.tls?.wasResumed == false)
        #expect(second.socket.tls?.wasResumed == true)
    }

    @Test("gives 8 MB whole to a reader that is slow")
    func slowReader() throws {
        let server = try TLSServer()
        let client = try TestHTTPClient(
            port: server.port,
            receiveBufferBytes: 8_192,
            tls: TestTLS()
        )
        #expect(try client.request("GET", "/big").body == Router.bigBody)
        #expect(try client.request("GET", "/").text == "secure")
    }

    @Test("closes what is no TLS, with an alert or nothing, and serves others on")
    func plainText() throws {
        let server = try TLSServer()
        for bytes in [Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), [0xFF, 0, 1]] {
            let socket = try TestSocket(port: server.port)
            try socket.send(bytes)
            if bytes.count < 5 { socket.finishSending() }
            var answer: [UInt8] = []
            while try socket.receive(into: &answer, awaiting: "the end") {}
            #expect(answer.isEmpty || answer[0] == 21)
        }
        let client = try TestHTTPClient(port: server.port, tls: TestTLS())
        #expect(try client.request("GET", "/").status == 200)
    }

    @Test("closes a connection whose handshake is not over by the deadline of the first head")
    func slowHandshake() throws {
        var configuration = HTTPConfiguration()
        configuration.headDeadline = .milliseconds(50)
        let server = try TLSServer(configuration: configuration)
        let hello = try TestTLS()
        _ = try hello.shakeHands()
        for part in [[], Array(hello.takeOutput().dropLast())] {
            let socket = try TestSocket(port: server.port)
            try socket.send(part)
            var answer: [UInt8] = []
            #expect(try !socket.receive(into: &answer, awaiting: "the end"))
        }
    }

    @Test("forgets who leaves amid the handshake, by FIN or by reset")
    func leaving() throws {
        let server = try TLSServer()
        for resets in [false, true] {
            let hello = try TestTLS()
            _ = try hello.shakeHands()
            let socket = try TestSocket(port: server.port)
            try socket.send(Array(hello.takeOutput().prefix(50)))
            if resets {
                socket.reset()
            } else {
                socket.finishSending()
                var answer: [UInt8] = []
                #expect(try !socket.receive(into: &answer, awaiting: "the end"))
            }
        }
        let client = try TestHTTPClient(port: server.port, tls: TestTLS())
        #expect(try client.request("GET", "/").status == 200)
        server.stop()
    }
}
