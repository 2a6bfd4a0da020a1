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
            ("BREW /pot HTTP/1.1", .other, "/pot", nil),
            ("get / HTTP/1.1", .other, "/", nil),
            (
                #"GET /q?where={"a":["b|c\d^e`f"]} HTTP/1.1"#, .get, "/q",
                #"where={"a":["b|c\d^e`f"]}"#
            ),
        ] as [(String, HTTPMethod, String, String?)]
    )
    func accepts(line: String, method: HTTPMethod, path: String, query: String?) throws {
        let text = line + "\r\nHost: a\r\n\r\n"
        let whole = outcome(of: text)
        #expect(whole == outcomeByteByByte(of: text))
        let summary = try #require(whole.summary, "\(whole)")
        #expect(summary.method == method)
        #expect(summary.path == Array(path.utf8))
        #expect(summary.query == query.map { Array($0.utf8) })
        #expect(summary.target == Array((path + (query.map { "?" + $0 } ?? "")).utf8))
    }
}
