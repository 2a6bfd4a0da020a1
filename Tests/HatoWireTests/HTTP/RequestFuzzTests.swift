import FuzzTargets
import HatoWire
import Testing

/// A small deterministic generator (SplitMix64), so that a failure can be met again by its seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Changes, inserts, removes or repeats a few bytes.
    mutating func mutate(_ bytes: [UInt8], telling: [UInt8]) -> [UInt8] {
        var mutated = bytes
        for _ in 0..<Int.random(in: 0...4, using: &self) where !mutated.isEmpty {
            let position = Int.random(in: 0..<mutated.count, using: &self)
            let isTelling = Bool.random(using: &self)
            let byte =
                isTelling
                ? telling.randomElement(using: &self) ?? 0 : UInt8.random(in: 0...255, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: mutated[position] = byte
            case 1: mutated.insert(byte, at: position)
            case 2: mutated.remove(at: position)
            case 3:
                let end = min(position + Int.random(in: 1...20, using: &self), mutated.count)
                mutated.insert(contentsOf: mutated[position..<end], at: position)
            default:
                let end = min(position + Int.random(in: 1...20, using: &self), mutated.count)
                mutated.removeSubrange(position..<end)
            }
        }
        return mutated
    }
}

@Suite("RequestParser: mutated requests")
struct RequestFuzzTests {
    private static let seeds: [String] = [
        get("X-A: b\r\nConnection: keep-alive, x\r\n"),
        "\r\n" + get("Upgrade: websocket\r\nConnection: Upgrade\r\n"),
        "GET http://b.example:80/x?y=z HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://b?y HTTP/1.1\r\nHost: [::1]:8\r\n\r\n",
        post("Content-Length: 11\r\nExpect: 100-continue\r\n", "hello world"),
        post(
            "Transfer-Encoding: chunked\r\n",
            "5;a=\"b\\\"c\" ;d\r\nhello\r\n00a\r\n0123456789\r\n0\r\nX-T: 1\r\nY: 2\r\n\r\n"
        ),
        "OPTIONS * HTTP/1.0\r\n\r\n",
    ]

    @Test("end the same way however they are split", arguments: 0..<8)
    func splits(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let telling = Array("\r\n\r\n :;,\t\"\\/?0aF\u{0}*=.%[]".utf8)
        var wholeCount = 0
        var failures: Set<HTTPFailure> = []
        for _ in 0..<1_500 {
            let start = Self.seeds.randomElement(using: &generator) ?? ""
            let bytes = generator.mutate(Array((start + start).utf8), telling: telling)
            do {
                let trace = try RequestTarget.agreement(bytes)
                if !trace.requests.isEmpty { wholeCount += 1 }
                if let failure = trace.failure { failures.insert(failure) }
            } catch {
                Issue.record("\(error): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
            }
        }
        // The mutations reach both sides, or the comparison says nothing.
        #expect(wholeCount > 100)
        #expect(failures.count > 5)
    }

    @Test("hold no more than the limits while junk comes", arguments: 0..<4)
    func boundsMemory(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) + 100)
        let limits = RequestTarget.limits
        let headBytes = limits.requestLineBytes + limits.fieldBytes
        let text: [UInt8] = Array(
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8
        )
        let fillers = ["a", "0", "x: y\r\n", "5;abc\r\nhello\r\n", " ", "\r\n", "/"]
        for _ in 0..<100 {
            var parser = RequestParser(limits: limits)
            let cut = Int.random(in: 0...text.count, using: &generator)
            let filler = Array((fillers.randomElement(using: &generator) ?? "").utf8)
            var step = RequestParser.Step.needsMore
            var offset = 0
            _ = parser.parse(Array(text[..<cut]).span, from: &offset)
            for _ in 0..<1_500 {
                offset = 0
                step = parser.parse(filler.span, from: &offset)
                guard step == .needsMore else { break }
            }
            #expect(step != .needsMore)
            #expect(parser.request.head.count <= headBytes + filler.count)
            #expect(parser.request.body.count <= limits.bodyBytes)
        }
    }
}
