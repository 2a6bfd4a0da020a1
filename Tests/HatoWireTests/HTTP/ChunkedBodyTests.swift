import HatoWire
import Testing

@Suite("RequestParser: chunked bodies")
struct ChunkedBodyTests {
    private func chunked(_ body: String) -> String {
        post("Transfer-Encoding: chunked\r\n", body)
    }

    @Test(
        "takes the coding off",
        arguments: [
            ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
            ("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello"),
            ("000005\r\nhello\r\n000\r\n\r\n", "hello"),
            ("0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"),
            ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
            ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
            ("10\r\n0123456789abcdef\r\n0\r\n\r\n", "0123456789abcdef"),
            ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
        ]
    )
    func decodes(sent: String, body: String) {
        let outcome = steadyOutcome(of: chunked(sent + "rest"))
        guard case .request(let summary, let rest) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(summary.body == Array(body.utf8))
        #expect(rest == Array("rest".utf8))
    }

    @Test("knows its coding in any case", arguments: ["Chunked", "CHUNKED", "chunked"])
    func ignoresCase(name: String) throws {
        let text = post("TRANSFER-ENCODING: \(name)\r\n", "1\r\nx\r\n0\r\n\r\n")
        #expect(try #require(steadyOutcome(of: text).summary).body == [UInt8(ascii: "x")])
    }

    @Test(
        "ignores chunk extensions of the grammar",
        arguments: [
            ";a", ";a=b", ";a=b;c=\"d;e\"", " ; a = b", "\t;a\t;b", ";a=\"\"", ";a=\"x\\\"y\\\\\"",
            ";a=\"b\" ;c", ";a;b;c", ";a=\"é\"", ";a=\"\t \"",
        ]
    )
    func ignoresExtensions(text: String) throws {
        let outcome = steadyOutcome(of: chunked("5\(text)\r\nhello\r\n0;z\r\n\r\n"))
        #expect(try #require(outcome.summary, "\(outcome)").body == Array("hello".utf8))
    }

    @Test(
        "refuses chunk extensions outside the grammar",
        arguments: [
            " ", ";", "; ", ";a ", ";a=", ";a= ", ";=b", ";a=b c", ";a b", ";a=\"b", ";a=\"b\"c",
            ";a=\"b\nc\"", ";a=\"b\u{1}\"", ";a\nb", ";a,b", ";a==b", ";é", " 5", "\u{B};a",
            ";a=\"\\\u{1}\"", ";;a",
        ]
    )
    func refusesExtensions(text: String) {
        let outcome = steadyOutcome(of: chunked("5\(text)\r\nhello\r\n0\r\n\r\n"))
        #expect(outcome.failure == .malformedChunk)
    }

    @Test(
        "refuses malformed sizes and line ends",
        arguments: [
            "\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n", "+5\r\nhello\r\n", "0x5\r\nhello\r\n",
            " 5\r\nhello\r\n", "5g\r\nhello\r\n", "INVALID!!!\r\n", "0_5\r\nhello\r\n",
            "5\r\r;A\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
            "5\r\nhello\r0\r\n\r\n", "5\r\nhellox\r\n", "5\r\nhell\r\n0\r\n\r\n", "0\n\n",
            "00000000000000005\r\nhello\r\n", "5\r\nhello0\r\n\r\n",
        ]
    )
    func refusesChunk(body: String) {
        let outcome = steadyOutcome(of: chunked(body))
        #expect(outcome.failure == .malformedChunk)
        #expect(outcome.failure?.status == 400)
    }

    @Test(
        "answers 413 to sizes past the limit before their chunk comes",
        arguments: [
            "FFFFFFFFFFFFFFFF", "8000000000000000", "7FFFFFFFFFFFFFFF", "10000000000000005",
            String(repeating: "1", count: 5_000), "a00001",
        ]
    )
    func refusesHugeSize(size: String) {
        #expect(steadyOutcome(of: chunked(size)).failure == .bodyTooLarge)
    }

    @Test(
        "reads trailers and drops them, whatever they say",
        arguments: [
            "X-T: 1\r\nX-U: 2\r\n", "Content-Length: 99\r\nTransfer-Encoding: x\r\nHost: evil\r\n",
            "Connection: close\r\n", "A:\r\n",
        ]
    )
    func dropsTrailers(trailer: String) throws {
        let outcome = steadyOutcome(of: chunked("5\r\nhello\r\n0\r\n\(trailer)\r\n"))
        let plain = steadyOutcome(of: chunked("5\r\nhello\r\n0\r\n\r\n"))
        #expect(try #require(outcome.summary, "\(outcome)") == #require(plain.summary))
    }

    @Test(
        "refuses malformed trailers",
        arguments: [
            "X-T : 1\r\n", " X: 1\r\n", "X\r\n", ": a\r\n", "X: a\nY: b\r\n", "X: \u{0}\r\n",
        ]
    )
    func refusesTrailer(trailer: String) {
        let outcome = steadyOutcome(of: chunked("0\r\n\(trailer)\r\n"))
        #expect(outcome.failure == .malformedField)
    }

    @Test(
        "says that a cut body is not whole",
        arguments: ["", "5", "5\r\nhel", "5\r\nhello\r\n", "0\r\n"]
    )
    func needsMore(body: String) {
        #expect(steadyOutcome(of: chunked(body)) == .needsMore(isIdle: false, isInBody: true))
    }
}
