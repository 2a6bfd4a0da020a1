import HatoWire
import Testing

@Suite("JSONNumber")
struct JSONNumberTests {
    @Test(
        "compares integers and Doubles exactly",
        arguments: [
            ("1", "1.0", 0), ("1", "1e0", 0), ("-0", "0", 0), ("-0.0", "0", 0),
            ("5", "5.0000001", -1),
            ("9223372036854775807", "9223372036854775808", -1),
            ("9223372036854775807", "9223372036854775807.0", -1),
            ("9223372036854775806", "9223372036854775807", -1),
            ("-9223372036854775808", "-9223372036854775809", 0),
            ("-9223372036854775808", "-9223372036854775808.0", 0),
            ("9007199254740993", "9007199254740992.0", 1),
            ("9007199254740993", "9007199254740993.0", 1),
            ("9007199254740992", "9007199254740993.0", 0),
            ("-9007199254740993", "-9007199254740992.0", -1),
            ("1", "1e300", -1), ("-1", "-1e300", 1), ("0", "1e-400", 0), ("0", "5e-324", -1),
            ("0.1", "1e-1", 0), ("0.1", "0.10000000000000001", 0), ("123456.789", "123456.7890", 0),
            ("-1", "-0.5", -1), ("-1", "-1.5", 1), ("2", "1.5", 1),
        ]
    )
    func compares(left: String, right: String, order: Int) {
        let (left, right) = (number(left).value, number(right).value)
        #expect(left.order(against: right) == order)
        #expect(right.order(against: left) == -order)
        #expect((left < right) == (order < 0))
        #expect((left == right) == (order == 0))
    }

    @Test(
        "adds as integers when both are, else as Doubles",
        arguments: [
            ("1", "2", "3"), ("-1", "1", "0"), ("9223372036854775806", "1", "9223372036854775807"),
            ("9223372036854775807", "1", nil), ("-9223372036854775808", "-1", nil),
            ("1", "0.5", "1.5"), ("0.1", "0.2", "0.30000000000000004"), ("1.5", "1.5", "3.0"),
            ("9223372036854775808", "1", "9.223372036854776e+18"), ("1e308", "1e308", nil),
        ] as [(String, String, String?)]
    )
    func adds(left: String, right: String, sum: String?) {
        #expect(number(left).adding(number(right))?.text.string == sum)
    }

    @Test("reads short decimals as the standard library does")
    func readsDecimals() {
        var random = SplitMix(seed: 3)
        for _ in 0..<20_000 {
            let digits = String(
                random.next() % [10, 1_000, 1_000_000, 100_000_000_000_000][random.below(4)]
            )
            let fraction = String(random.next() % [10, 10_000, 10_000_000][random.below(3)])
            let text = (random.below(2) == 0 ? "-" : "") + digits + "." + fraction
            guard case .double(let value) = number(text).value else {
                Issue.record("\(text) is no Double")
                return
            }
            #expect(value == Double(text), "\(text)")
        }
    }

    private func number(_ text: String) -> JSONNumber { JSONNumber(validated: Text(text)) }
}
