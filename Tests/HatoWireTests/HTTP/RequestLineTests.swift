import HatoWire
import Testing

@Suite("RequestParser: request line")
struct RequestLineTests {
    @Test(
        "reads method, target, path and query",
        arguments: [
            ("GET / HTTP/1.1", HTTPMethod.get, "/", nil),
            ("HEAD /a/b?x=1&y HTTP/1.1", .head, "/a/b", "x=1&y"),
            ("POST /? HTTP/1.1", .post, "/", ""),
            ("PUT /a?b?c HTTP/1.1", .put, "/a", "b?c"),
            ("DELETE /%zz HTTP/1.1", .delete, "/%zz", nil),
            ("PATCH ////// HTTP/1.1", .patch, "//////", nil),
            ("TRACE /;a=b HTTP/1.1", .trace, "/;a=b", nil),
            ("OPTIONS * HTTP/1.1", .options, "*", nil),
            ("OPTIONS /a HTTP/1.1", .options, "/a", nil),
            ("BREW /pot HTTP/1.1", .other, "/pot", nil),
            ("get / HTTP/1.1", .other, "/", nil),
            ("G / HTTP/1.1", .other, "/", nil),
            (
                "GET /q?w={\"a\":[\"b|c\\d^e`f\"]} HTTP/1.1", .get, "/q",
                "w={\"a\":[\"b|c\\d^e`f\"]}"
            ),
        ] as [(String, HTTPMethod, String, String?)]
    )
    func accepts(line: String, method: HTTPMethod, path: String, query: String?) throws {
        let outcome = steadyOutcome(of: line + "\r\nHost: a\r\n\r\n")
        let summary = try #require(outcome.summary, "\(outcome)")
        #expect(summary.method == method)
        #expect(summary.path == Array(path.utf8))
        #expect(summary.query == query.map { Array($0.utf8) })
        #expect(summary.target == Array((path + (query.map { "?" + $0 } ?? "")).utf8))
        #expect(summary.authority == Array("a".utf8))
    }

    @Test(
        "takes path and query from an absolute form, and its authority before the Host field",
        arguments: [
            ("http://b/", "/", nil, "b"),
            ("http://b", "/", nil, "b"),
            ("HTTP://b:80/x?y", "/x", "y", "b:80"),
            ("https://[::1]:8443/x", "/x", nil, "[::1]:8443"),
            ("http://b.example?q=/", "/", "q=/", "b.example"),
            ("http://b?", "/", "", "b"),
            ("http://b/?http://c/", "/", "http://c/", "b"),
        ] as [(String, String, String?, String)]
    )
    func acceptsAbsoluteForm(
        target: String,
        path: String,
        query: String?,
        authority: String
    ) throws {
        let outcome = steadyOutcome(of: "GET \(target) HTTP/1.1\r\nHost: other\r\n\r\n")
        let summary = try #require(outcome.summary, "\(outcome)")
        #expect(summary.path == Array(path.utf8))
        #expect(summary.query == query.map { Array($0.utf8) })
        #expect(summary.target == Array((path + (query.map { "?" + $0 } ?? "")).utf8))
        #expect(summary.authority == Array(authority.utf8))
        #expect(summary.fields == [Array("Host:other".utf8)])
    }

    @Test(
        "refuses a malformed request line",
        arguments: [
            " GET / HTTP/1.1", "GE(T / HTTP/1.1", "GETx\"y / HTTP/1.1", "G\u{0}T / HTTP/1.1",
            "GET\t/\tHTTP/1.1", "GET / http/1.1", "GET / HTTP/1.10", "GET / HTTP/01.1",
            "GET / HTTP/1.1x", "GET / HTTP/ 1.1", "GET / HTTP/1.", "GET / HTTP/1",
            "GET / HTP/1.1", "GET / HTTP/1,1", "GET / HTTP/-1.1", "GET / HTTP/4294967297.1",
            "GET / HTTP/1.1 x", "GET / HTTP/1.1 ", "GET / HTTP/a.1", "GET / HTTP/1.a", "GET / ",
            "GET /  HTTP/1.1", "\u{16}\u{3}\u{1}", "\nGET / HTTP/1.1", "GET", "{",
        ]
    )
    func refusesLine(line: String) {
        #expect(steadyOutcome(of: line + "\r\nHost: a\r\n\r\n").failure == .malformedRequestLine)
    }

    @Test(
        "refuses a target of no form, and characters that a target can't have",
        arguments: [
            "GET  / HTTP/1.1", "GET HTTP/1.1", "GET foo HTTP/1.1", "GET 127.0.0.1:80 HTTP/1.1",
            "GET /a\u{0}b HTTP/1.1", "GET /a\u{1}b HTTP/1.1", "GET /a\u{7F} HTTP/1.1",
            "GET /é HTTP/1.1", "GET /a#b HTTP/1.1", "GET /<a> HTTP/1.1", "GET /\tb HTTP/1.1",
            "GET /\nHTTP/1.1", "GET /\rHTTP/1.1", "GET /", "GET * HTTP/1.1",
            "OPTIONS ** HTTP/1.1", "PRI * HTTP/2.0", "GET ftp://a/ HTTP/1.1",
            "GET http:///x HTTP/1.1", "GET http://u@a/ HTTP/1.1", "GET http://a:x/ HTTP/1.1",
            "GET http:/a HTTP/1.1", "GET http:// HTTP/1.1", "GET ?a HTTP/1.1",
        ]
    )
    func refusesTarget(line: String) {
        #expect(steadyOutcome(of: line + "\r\nHost: a\r\n\r\n").failure == .malformedTarget)
    }

    @Test("refuses white space inside a target at the version")
    func refusesSpaceInTarget() {
        let outcome = steadyOutcome(of: "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(outcome.failure == .malformedRequestLine)
    }

    @Test("does not tunnel")
    func refusesConnect() {
        let outcome = steadyOutcome(of: "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n")
        #expect(outcome.failure == .methodNotImplemented)
        #expect(outcome.failure?.status == 501)
    }

    @Test(
        "answers 505 to other well-formed versions",
        arguments: ["HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/3.1", "HTTP/9.9"]
    )
    func refusesVersion(version: String) {
        let outcome = steadyOutcome(of: "GET / \(version)\r\nHost: a\r\n\r\n")
        #expect(outcome.failure == .versionNotSupported)
        #expect(outcome.failure?.status == 505)
    }

    @Test(
        "takes neither a bare CR nor a bare LF for a line's end",
        arguments: [
            "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\rHost: a\r\rX: y\r\n\r\n",
            "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", "\r\rGET / HTTP/1.1\r\n\r\n",
        ]
    )
    func refusesBareLineEnds(text: String) {
        #expect(steadyOutcome(of: text).failure == .malformedRequestLine)
    }

    @Test("skips a few empty lines before a request line and refuses one more")
    func skipsEmptyLines() {
        let limits = HTTPLimits()
        let request = get("")
        let atLimit = String(repeating: "\r\n", count: limits.leadingEmptyLineCount) + request
        #expect(steadyOutcome(of: atLimit) == steadyOutcome(of: request))
        #expect(steadyOutcome(of: "\r\n" + atLimit).failure == .tooManyEmptyLines)
    }

    @Test("is idle until the first byte of a message")
    func isIdle() {
        #expect(steadyOutcome(of: "\r\n\r") == .needsMore(isIdle: true, isInBody: false))
        #expect(steadyOutcome(of: "\r\n\r\nG") == .needsMore(isIdle: false, isInBody: false))
    }

    @Test("knows every byte of a target, wherever it lies in a word")
    func knowsTargetBytes() {
        let refused = Set("#<>".utf8)
        for byte in UInt8.min...UInt8.max where byte != 0x20 {
            let isAllowed = byte > 0x20 && byte < 0x7F && !refused.contains(byte)
            for before in 0..<9 {
                let path = Array(repeating: UInt8(ascii: "a"), count: before) + [byte, 0x3D]
                for prefix in ["/", "/?"] {
                    let line = Array("GET \(prefix)".utf8) + path + Array(" HTTP/1.1\r\n".utf8)
                    let whole = outcome(of: line + Array("Host: a\r\n\r\n".utf8)) { 1_000 }
                    #expect((whole.summary != nil) == isAllowed, "\(byte) behind \(before)")
                    guard isAllowed else { continue }
                    #expect(whole.summary?.target == Array(prefix.utf8) + path)
                }
            }
        }
    }

    @Test("knows every byte of a name and of a value, wherever it lies in a word")
    func knowsFieldBytes() {
        let separators = Set("\"(),/:;<=>?@[\\]{}".utf8)
        for byte in UInt8.min...UInt8.max {
            let isToken = byte > 0x20 && byte < 0x7F && !separators.contains(byte)
            let isText = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
            for before in 0..<9 {
                let some = Array(repeating: UInt8(ascii: "a"), count: before + 1) + [byte]
                let start = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
                let end = Array("bcdefgh\r\n\r\n".utf8)
                let name = outcome(of: start + some + Array("Name: ".utf8) + end) { 1_000 }
                #expect((name.summary != nil) == (isToken || byte == 0x3A), "\(byte) \(before)")
                let value = outcome(of: start + Array("X:".utf8) + some + end) { 1_000 }
                #expect((value.summary != nil) == isText, "\(byte) behind \(before)")
            }
        }
    }
}
