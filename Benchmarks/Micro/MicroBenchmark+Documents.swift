import HatoWire
import ObjectModel

/// What a scan pays for each object, and an answer for each it shows.
extension MicroBenchmark {
    static let documents: [MicroBenchmark] = [
        MicroBenchmark(name: "match-string", iterations: 4_000) { iterations in
            matches("userId", .equal(.string("0VpK3xAq7ZbT1mWe")), true, iterations)
        },
        // What nearly every document of a scan is.
        MicroBenchmark(name: "match-no-string", iterations: 4_000) { iterations in
            matches("userId", .equal(.string("0VpK3xAq7ZbT1mWz")), false, iterations)
        },
        MicroBenchmark(name: "match-range", iterations: 4_000) { iterations in
            matches("n", .greaterOrEqual(.number(JSONNumber(42))), true, iterations)
        },
        MicroBenchmark(name: "list-100", iterations: 40) { iterations in
            let document = hidden(Samples.document)
            let facts = hidden(Samples.facts)
            var output: [UInt8] = []
            var sum = 0
            for _ in 0..<iterations {
                output.removeAll(keepingCapacity: true)
                for _ in 0..<100 {
                    if !output.isEmpty { output.append(0x2C) }
                    ObjectJSON.append(
                        id: facts.id,
                        created: facts.created,
                        updated: facts.updated,
                        acl: .everybody,
                        document: document.span,
                        to: &output
                    )
                }
                guard output.count > 100 * document.count else { return nil }
                sum &+= output.count
            }
            return sum
        },
    ]

    private static func matches(
        _ path: Text,
        _ fieldOperator: FieldOperator,
        _ isMatch: Bool,
        _ iterations: Int
    ) -> Int? {
        guard let path = try? FieldPath(path) else { return nil }
        var matcher = Matcher(.field(path, fieldOperator))
        let document = hidden(Samples.document)
        let facts = hidden(Samples.facts)
        var sum = 0
        for _ in 0..<iterations {
            guard matcher.matches(document.span, facts) == isMatch else { return nil }
            sum &+= 1
        }
        return sum
    }
}
