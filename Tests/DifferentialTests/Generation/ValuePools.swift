import HatoTesting
import HatoWire
import ObjectModel

/// Few values, so that filters meet documents often: equal ones written differently, neighbours that
/// only exact comparison tells apart, texts that normalise to each other.
enum ValuePools {
    static let numbers: [Value] = [
        "5", "5.0", "5e0", "4", "6", "0", "-0", "-0.0", "5.000000000000001", "0.1",
        "9007199254740992", "9007199254740993", "9007199254740991", "9007199254740992.0",
        "9223372036854775807", "9223372036854775806", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "1e300", "-1e300", "5e-324",
        "1.7976931348623157e308", "-7.5",
    ].map { .number(JSONNumber(validated: Text($0))) }

    static let strings: [Value] = [
        "", "a", "ab", "abc", "A", "b", "é", "e\u{301}", "日本", "日", "a\u{0}", "a\u{0}b", "/a/b",
        "\"q\"", "back\\slash", "😀", "\u{FFFF}", "5", "line\nbreak", "end\n", "a.c", "x$", "^x",
    ].map { .string(Text($0)) }

    static let dates: [Value] = [0, 1, -1, 1_577_836_800_000, 253_402_300_799_999].map {
        .date(Timestamp(millisecondsSinceEpoch: $0))
    }

    static let pointers: [Value] = [
        .pointer(className: "Post", objectID: "a"), .pointer(className: "Post", objectID: "b"),
        .pointer(className: "user", objectID: "a"),
    ]

    static let objects: [Value] = [
        .object([]), object(("a", number("5"))), object(("a", number("5.0"))),
        object(("a", number("5")), ("b", .string("x"))),
        object(("b", .string("x")), ("a", number("5e0"))),
        object(("a", .null)), object(("b", .array([number("5"), .string("ab")]))),
        object(("é", number("1"))), object(("e\u{301}", number("1"))),
        object(("a", object(("b", number("5"))))),
        object(("a", .array([object(("b", number("4"))), object(("b", .array([number("5")])))]))),
        object(("a", .array([.array([object(("b", number("4")))])]))),
    ]

    static let arrays: [Value] = [
        .array([]), .array([number("5")]), .array([number("5.0"), .string("a")]),
        .array([.string("a"), .string("b")]), .array([.string("b"), .string("a")]),
        .array([.string("a"), .string("a")]), .array([.null]), .array([.array([number("5")])]),
        .array([number("4"), number("6")]), .array([.bool(true), .string("é")]),
        .array([.array([])]),
    ]

    static let constants: [Value] = [.null, .bool(true), .bool(false)]

    /// Poles and the date line have several names.
    static let places: [Value] = [
        place("35.6812", "139.7671"), place("35.6595", "139.7005"), place("34.7025", "135.4959"),
        place("0", "180"), place("0.0", "-180"), place("90", "12.5"), place("90.0", "-100"),
        place("-90", "0"), place("-90", "77"), place("-16.5", "179.5"), place("-16.5", "-179.5"),
        place("51.4779", "0"), place("-33.86", "151.21"),
    ]

    /// Places whose distances from each other all differ by far more than rounding does.
    static let spots: [Value] = [
        place("35.6812", "139.7671"), place("34.7025", "135.4959"), place("51.5074", "-0.1278"),
        place("-33.8688", "151.2093"), place("64.1466", "-21.9426"), place("-16.5", "179.5"),
        place("-17.25", "-178.75"), place("89.5", "12.5"),
    ]

    static let radii: [Double?] = [nil, 0.003, 0.05, 0.12, 0.75, 1.9, 3.2]

    /// Longer than a key, equal up to far behind its end, or with a character across it.
    static let longStrings: [Value] = [
        .string(Text(String(repeating: "x", count: 1_100) + "1")),
        .string(Text(String(repeating: "x", count: 1_100) + "2")),
        .string(Text(String(repeating: "x", count: 1_100))),
        .string(Text(String(repeating: "x", count: 1_021) + "ééé")),
        .string(Text(String(repeating: "x", count: 1_021) + "ééê")),
        .string("x"),
    ]

    static let patterns: [Text] = [
        "a", "^a", "a$", "^ab$", "^a.$", "", "^$", "é", "^.$", "日.", "a.*c", "^.*b", "\\.", "x\\$",
        "\\^x", "break$", "end$", "line.break", "\\\\s", "/", "5", "^x.*1$", "zz", "😀",
    ]

    static func number(_ text: Text) -> Value { .number(JSONNumber(validated: text)) }

    static func object(_ members: (Text, Value)...) -> Value {
        .object(members.map { ValueMember(name: $0.0, value: $0.1) })
    }

    private static func place(_ latitude: Text, _ longitude: Text) -> Value {
        .geoPoint(
            latitude: JSONNumber(validated: latitude),
            longitude: JSONNumber(validated: longitude)
        )
    }
}

extension SeededGenerator {
    mutating func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element {
        choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True so many times in a hundred.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func several<Choices: Collection>(
        _ choices: Choices,
        _ count: ClosedRange<Int>
    ) -> [Choices.Element] {
        (0..<Int.random(in: count, using: &self)).map { _ in pick(choices) }
    }
}
