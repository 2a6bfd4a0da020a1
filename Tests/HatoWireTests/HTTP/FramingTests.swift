import HatoWire
import Testing

@Suite("RequestParser: framing")
struct FramingTests {
    @Test(
        "reads the body that Content-Length announces and nothing behind it",
        arguments: [
            ("", "", "", "next"), ("Content-Length: 0\r\n", "", "", "next"),
            ("Content-Length: 5\r\n", "hello", "hello", ""),
            ("Content-Length: 5\r\n", "hello", "hello", "GET"),
            ("content-length:\t00005 \r\n", "hello", "hello", "\r\n"),
            ("Content-Length: 010\r\n", "0123456789", "0123456789", "x"),
        ]
    )
    func fixedBody(fields: String, sent: String, body: String, rest: String) throws {
        let outcome = steadyOutcome(of: post(fields, sent + rest))
        guard case .request(let summary, let left) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(summary.body == Array(body.utf8))
        #expect(left == Array(rest.utf8))
    }

    @Test("reads a body of GET, which is no request")
    func bodyOfGet() throws {
        let inner = get("")
        let outcome = steadyOutcome(of: get("Content-Length: \(inner.utf8.count)\r\n") + inner)
        #expect(try #require(outcome.summary).body == Array(inner.utf8))
    }

    @Test(
        "refuses a malformed or repeated Content-Length",
        arguments: [
            "+5", "-1", "0x5", "5abc", "abc", "", "5 5", "5.0", "1e1", "1_0", "5, 5", "5;",
            "-123456789123456789123456789", "5\r\nContent-Length: 5", "0\r\nContent-Length: 5",
            "\r\nContent-Length: 5", "é",
        ]
    )
    func refusesLength(value: String) {
        let outcome = steadyOutcome(of: post("Content-Length: \(value)\r\n", "hello"))
        #expect(outcome.failure == .badContentLength)
        #expect(outcome.failure?.status == 400)
    }

    @Test(
        "answers 413 to lengths that no number holds",
        arguments: [
            "9223372036854775807", "9223372036854775808", "18446744073709551621",
            String(repeating: "9", count: 1_000),
        ]
    )
    func refusesHugeLength(value: String) {
        let outcome = steadyOutcome(of: post("Content-Length: \(value)\r\n", "hello"))
        #expect(outcome.failure == .bodyTooLarge)
        #expect(outcome.failure?.status == 413)
    }

    @Test(
        "refuses what could be read as two lengths",
        arguments: [
            ("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", "HTTP/1.1"),
            ("Content-Length: 6\r\nTransFer-Encoding: chunked\r\n", "HTTP/1.1"),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "HTTP/1.1"),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "HTTP/1.1"),
            ("Transfer-Encoding: chunked\r\n", "HTTP/1.0"),
        ]
    )
    func refusesAmbiguity(fields: String, version: String) {
        let outcome = steadyOutcome(of: post(fields, "0\r\n\r\n", version: version))
        #expect(outcome.failure == .badTransferEncoding)
    }

    @Test(
        "refuses codings that leave the length in doubt",
        arguments: [
            "xchunked", "identity", "\"chunked\"", "chunked;q=1", "chunked, cow", "chun ked", "",
            "gzip", "chunked, chunked", "chunked, gzip, chunked", "\\chunked", "chunked,",
            ", chunked", "gzip;q=1, chunked",
        ]
    )
    func refusesCoding(value: String) {
        let fields = "Transfer-Encoding: \(value)\r\n"
        let body = "5\r\nhello\r\n0\r\n\r\n"
        #expect(steadyOutcome(of: post(fields, body)).failure == .badTransferEncoding)
        let both = post(fields + "Content-Length: \(body.utf8.count)\r\n", body)
        #expect(steadyOutcome(of: both).failure == .badTransferEncoding)
    }

    @Test(
        "refuses codings with bytes above ASCII or controls",
        arguments: [0xA0, 0xFF, 0x0B, 0x00]
    )
    func refusesOddCoding(byte: UInt8) {
        let start = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ".utf8)
        let end = Array("\r\n\r\n0\r\n\r\n".utf8)
        let chunked = Array("chunked".utf8)
        for value in [[byte] + chunked, chunked + [byte]] {
            #expect(steadyOutcome(of: start + value + end).failure?.status == 400)
        }
    }

    @Test(
        "answers 501 to a coding it does not know",
        arguments: ["gzip, chunked", "x,y , Chunked"]
    )
    func unknownCoding(value: String) {
        let outcome = steadyOutcome(of: post("Transfer-Encoding: \(value)\r\n", ""))
        #expect(outcome.failure == .codingNotImplemented)
        #expect(outcome.failure?.status == 501)
    }

    @Test("asks for the body when the client waits for it")
    func expectsContinue() {
        let head = Array(post("Content-Length: 2\r\nExpect: 100-Continue\r\n", "").utf8)
        var parser = RequestParser()
        var offset = 0
        expectStep(.expectsContinue, of: &parser, on: head, from: &offset)
        #expect(offset == head.count)
        #expect(parser.isInBody)
        expectStep(.needsMore, of: &parser, on: head, from: &offset)
        let body = Array("hi".utf8)
        offset = 0
        expectStep(.request, of: &parser, on: body, from: &offset)
        #expect(parser.request.body == body)
    }

    @Test(
        "asks for no body that will not come, and never in HTTP/1.0",
        arguments: [
            (post("Expect: 100-continue\r\n", ""), Optional<HTTPFailure>.none),
            (post("Content-Length: 0\r\nExpect: 100-continue\r\n", ""), nil),
            (post("Content-Length: 2\r\nExpect: 100-continue\r\n", "hi", version: "HTTP/1.0"), nil),
            (post("Expect: bananas\r\n", "", version: "HTTP/1.0"), nil),
            (post("Expect: bananas\r\n", ""), .expectationUnknown),
            (post("Expect: 100-continue, x\r\n", ""), .expectationUnknown),
            (post("Expect: 100-continue\r\nExpect: x\r\n", ""), .expectationUnknown),
            (post("Expect:\r\n", ""), .expectationUnknown),
        ]
    )
    func expectations(text: String, failure: HTTPFailure?) {
        #expect(steadyOutcome(of: text).failure == failure)
        var parser = RequestParser()
        var offset = 0
        let step = parser.parse(Array(text.utf8).span, from: &offset)
        #expect(step == failure.map { .failed($0) } ?? .request)
    }

    @Test("stops behind one message and goes on with the next after a reset")
    func pipelines() {
        let first = post("Content-Length: 5\r\n", "hello")
        let second = post("Transfer-Encoding: chunked\r\n", "2\r\nhi\r\n0\r\n\r\n")
        let third = get("X: y\r\n")
        let all = Array((first + second + "\r\n" + third).utf8)
        var parser = RequestParser()
        var offset = 0
        var bodies: [[UInt8]] = []
        var ends: [Int] = []
        for _ in 0..<3 {
            #expect(parser.isIdle)
            expectStep(.request, of: &parser, on: all, from: &offset)
            expectStep(.request, of: &parser, on: all, from: &offset)
            bodies.append(parser.request.body)
            ends.append(offset)
            parser.reset()
        }
        #expect(bodies == [Array("hello".utf8), Array("hi".utf8), []])
        let sizes = [first.utf8.count, second.utf8.count, 2 + third.utf8.count]
        #expect(ends == [sizes[0], sizes[0] + sizes[1], all.count])
        expectStep(.needsMore, of: &parser, on: all, from: &offset)
    }

    @Test("forgets the message before after a reset")
    func resets() {
        var parser = RequestParser()
        let first = Array(
            post("Connection: close\r\nContent-Length: 2\r\nUpgrade: x\r\n", "hi").utf8
        )
        var offset = 0
        expectStep(.request, of: &parser, on: first, from: &offset)
        let kept = parser.request
        parser.reset()
        let second = Array("OPTIONS /q?a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".utf8)
        offset = 0
        expectStep(.request, of: &parser, on: second, from: &offset)
        #expect(parser.request.summary == steadyOutcome(of: second).summary)
        #expect(kept.summary == steadyOutcome(of: first).summary)
    }

    @Test("fails for good")
    func staysFailed() {
        var parser = RequestParser()
        let bytes = Array("GET foo HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        var offset = 0
        expectStep(.failed(.malformedTarget), of: &parser, on: bytes, from: &offset)
        expectStep(.failed(.malformedTarget), of: &parser, on: bytes, from: &offset)
    }

    @Test("stops before a body, so that a route may set its own limit")
    func pausesBeforeBody() {
        let small = Array(post("Content-Length: 3\r\nExpect: 100-continue\r\n", "abc").utf8)
        for (limit, last) in [(3, RequestParser.Step.request), (2, .failed(.bodyTooLarge))] {
            var parser = RequestParser(pausesBeforeBody: true)
            var offset = 0
            expectStep(.head, of: &parser, on: small, from: &offset)
            #expect(offset == small.count - 3)
            #expect(parser.isInBody)
            #expect(parser.request.rawPath.elementsEqual("/".utf8))
            parser.bodyLimitBytes = limit
            var step = parser.parse(small.span, from: &offset)
            if limit == 3 {
                #expect(step == .expectsContinue)
                step = parser.parse(small.span, from: &offset)
            }
            #expect(step == last)
            parser.reset()
            #expect(parser.bodyLimitBytes == HTTPLimits().bodyBytes)
        }
        var parser = RequestParser(pausesBeforeBody: true)
        var offset = 0
        expectStep(.request, of: &parser, on: Array(get("").utf8), from: &offset)
    }
}
