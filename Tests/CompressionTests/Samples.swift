import HatoTesting

/// Messages of several kinds: empty, short, texts that repeat, bytes at random.
enum Samples {
    static let all: [[UInt8]] = [
        [], [0], Array("Hello".utf8), chat(1), chat(40), chat(3_000),
        [UInt8](repeating: 0x61, count: 300_000), random(1), random(300), random(100_000),
    ]

    /// A list of objects as REST answers and sockets carry them.
    static func chat(_ count: Int) -> [UInt8] {
        let objects = (0..<count).map {
            #"{"objectId":"0f\#($0 &* 7_919)","body":"こんにちは \#($0)","userId":"ann"}"#
        }
        return Array("[\(objects.joined(separator: ","))]".utf8)
    }

    static func random(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return generator.bytes(count)
    }
}
