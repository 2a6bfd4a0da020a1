import HatoWire
import ObjectModel

/// The bytes that index, order and comparison use.
extension MicroBenchmark {
    static let keys: [MicroBenchmark] = [
        key("key-string", of: #""0VpK3xAq7ZbT1mWe""#, iterations: 4_000),
        key("key-number", of: "1234.5", iterations: 4_000),
        key(
            "key-nested",
            of: #"{"city":"Kyoto","at":[35.01,135.77],"tags":["a","b"],"open":true}"#,
            iterations: 1_000
        ),
    ]

    private static func key(
        _ name: String,
        of canonical: String,
        iterations: Int
    ) -> MicroBenchmark {
        MicroBenchmark(name: name, iterations: iterations) { iterations in
            let value = hidden(Array(canonical.utf8))
            var output: [UInt8] = []
            var sum = 0
            for _ in 0..<iterations {
                output.removeAll(keepingCapacity: true)
                guard !OrderedKey.append(value.span, at: 0, to: &output) else { return nil }
                sum &+= output.count
            }
            return sum
        }
    }
}
