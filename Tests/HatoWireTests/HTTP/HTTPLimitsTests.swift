import HatoWire
import Testing

/// Each limit at its value and one past it.
@Suite("RequestParser: limits")
struct HTTPLimitsTests {
    @Test("has the limits of the rulings")
    func defaults() {
        let limits = HTTPLimits()
        #expect(limits.requestLineBytes == 65_536)
        #expect(limits.fieldCount == 100)
        #expect(limits.fieldBytes == 65_536)
        #expect(limits.bodyBytes == 10_485_760)
    }

    @Test("accepts a request line of 64 KB and answers 414 to one byte more")
    func requestLine() throws {
        let limit = HTTPLimits().requestLineBytes
        func request(lineBytes: Int) -> String {
            let frame = "GET / HTTP/1.1".utf8.count
            let path = String(repeating: "a", count: lineBytes - frame)
            return "GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n"
        }
        #expect(try #require(steadyOutcome(of: request(lineBytes: limit)).summary).method == .get)
        let past = steadyOutcome(of: request(lineBytes: limit + 1))
        #expect(past.failure == .requestLineTooLong)
        #expect(past.failure?.status == 414)
    }

    @Test("fails on an endless request line or method at the limit, not later")
    func endlessRequestLine() {
        for start in ["GET /", ""] {
            var limits = HTTPLimits()
            limits.requestLineBytes = start.utf8.count + 18
            let bytes = Array((start + String(repeating: "A", count: 19)).utf8)
            let below = steadyOutcome(of: bytes, limits: limits)
            #expect(below == .needsMore(isIdle: false, isInBody: false))
            let at = steadyOutcome(of: bytes + [0x41], limits: limits)
            #expect(at.failure == .requestLineTooLong)
        }
    }

    @Test("accepts 100 fields and answers 431 to the next")
    func fieldCount() throws {
        let limit = HTTPLimits().fieldCount
        let fields = String(repeating: "X: y\r\n", count: limit - 1)
        #expect(try #require(steadyOutcome(of: get(fields)).summary).fields.count == limit)
        let past = steadyOutcome(of: get(fields + "X: y\r\n"))
        #expect(past.failure == .fieldsTooLarge)
        #expect(past.failure?.status == 431)
    }

    @Test("accepts 64 KB of fields and answers 431 to one byte more")
    func fieldBytes() {
        let limit = HTTPLimits().fieldBytes
        func request(fieldBytes: Int) -> String {
            let frame = "Host: a\r\nX: \r\n\r\n".utf8.count
            return get("X: " + String(repeating: "y", count: fieldBytes - frame) + "\r\n")
        }
        #expect(steadyOutcome(of: request(fieldBytes: limit)).summary?.fields.count == 2)
        #expect(steadyOutcome(of: request(fieldBytes: limit + 1)).failure == .fieldsTooLarge)
    }

    @Test(
        "fails on an endless name, value or block as soon as the limit is reached",
        arguments: [("N", "N"), ("X: v", "v"), ("X:  ", " "), ("X: y\r\n", "X: y\r\n")]
    )
    func endlessFields(start: String, unit: String) {
        var limits = HTTPLimits()
        limits.fieldBytes = 60
        limits.fieldCount = 1_000
        let line = "GET / HTTP/1.1\r\n"
        var fields = start
        while fields.utf8.count + unit.utf8.count < limits.fieldBytes { fields += unit }
        #expect(
            steadyOutcome(of: line + fields, limits: limits)
                == .needsMore(isIdle: false, isInBody: false)
        )
        #expect(steadyOutcome(of: line + fields + unit, limits: limits).failure == .fieldsTooLarge)
    }

    @Test("accepts a body of 10 MB and answers 413 to one byte more, before it comes")
    func bodyBytes() {
        let limit = HTTPLimits().bodyBytes
        let body = String(repeating: "b", count: limit)
        let bytes = Array(post("Content-Length: \(limit)\r\n", body).utf8)
        let whole = outcome(of: bytes) { 65_536 }
        #expect(whole.summary?.body.count == limit)
        let past = steadyOutcome(of: post("Content-Length: \(limit + 1)\r\n", ""))
        #expect(past.failure == .bodyTooLarge)
    }

    @Test("counts the chunks of a body together")
    func chunkedBodyBytes() {
        var limits = HTTPLimits()
        limits.bodyBytes = 10
        let start = "Transfer-Encoding: chunked\r\n"
        let at = post(start, "6\r\nabcdef\r\n4\r\nabcd\r\n0\r\n\r\n")
        #expect(steadyOutcome(of: at, limits: limits).summary?.body.count == 10)
        let past = post(start, "6\r\nabcdef\r\n5")
        #expect(steadyOutcome(of: past, limits: limits).failure == .bodyTooLarge)
        let single = post(start, "b")
        #expect(steadyOutcome(of: single, limits: limits).failure == .bodyTooLarge)
    }

    @Test("bounds the chunk extensions of a message together")
    func chunkExtensionBytes() {
        var limits = HTTPLimits()
        limits.chunkExtensionBytes = 8
        let start = "Transfer-Encoding: chunked\r\n"
        let at = post(start, "1;abc\r\nx\r\n0;abc\r\n\r\n")
        #expect(steadyOutcome(of: at, limits: limits).summary?.body.count == 1)
        let past = post(start, "1;abc\r\nx\r\n0;abcd\r\n\r\n")
        #expect(steadyOutcome(of: past, limits: limits).failure == .malformedChunk)
    }

    @Test("bounds the trailer in bytes and in fields")
    func trailer() {
        let start = "Transfer-Encoding: chunked\r\n"
        var limits = HTTPLimits()
        limits.trailerBytes = 8
        let at = post(start, "0\r\nX: y\r\n\r\n")
        #expect(steadyOutcome(of: at, limits: limits).summary != nil)
        let past = post(start, "0\r\nX: yz\r\n\r")
        #expect(steadyOutcome(of: past, limits: limits).failure == .fieldsTooLarge)

        limits = HTTPLimits()
        limits.fieldCount = 3
        let three = post(start, "0\r\nA:\r\nA:\r\nA:\r\n\r\n")
        #expect(steadyOutcome(of: three, limits: limits).summary != nil)
        let four = post(start, "0\r\nA:\r\nA:\r\nA:\r\nA:\r\n\r\n")
        #expect(steadyOutcome(of: four, limits: limits).failure == .fieldsTooLarge)
    }

    @Test("does not allocate what a length announces")
    func allocatesWhatComes() {
        var parser = RequestParser()
        let head = Array(post("Content-Length: 10000000\r\n", "abc").utf8)
        var offset = 0
        expectStep(.needsMore, of: &parser, on: head, from: &offset)
        #expect(parser.request.body.capacity < 1_000)
    }

    @Test("keeps the storage of small messages and gives back that of big ones")
    func reusesStorage() {
        var parser = RequestParser()
        for (count, isKept) in [(1_000, true), (1_000_000, false)] {
            let body = String(repeating: "x", count: count)
            let field = "X: " + String(repeating: "y", count: min(count, 60_000)) + "\r\n"
            let bytes = Array(post("\(field)Content-Length: \(count)\r\n", body).utf8)
            var offset = 0
            expectStep(.request, of: &parser, on: bytes, from: &offset)
            parser.reset()
            #expect((parser.request.body.capacity >= count) == isKept)
            #expect((parser.request.head.capacity >= min(count, 60_000)) == isKept)
        }
    }

    @Test("has a status and a reason for every failure", arguments: HTTPFailure.allCases)
    func failures(failure: HTTPFailure) {
        #expect([400, 413, 414, 417, 431, 501, 505].contains(failure.status))
        #expect(failure.reason.utf8CodeUnitCount > 10)
        #expect(ResponseHead.reasonPhrase(failure.status).utf8CodeUnitCount > 0)
    }
}
