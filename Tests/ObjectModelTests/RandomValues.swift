import HatoWire
import ObjectModel

/// Random values in which equal, nearly equal and canonically equivalent ones meet often.
struct RandomValues {
    var random: SplitMix

    static let numbers = [
        "0", "-0", "-0.0", "5", "5.0", "5e0", "5.000000000000001", "-5", "0.1", "1e-1", "1e-400",
        "5e-324",
        "9007199254740992", "9007199254740993", "9007199254740993.0", "9007199254740994.0",
        "9223372036854775807", "9223372036854775806", "9223372036854775808",
        "9.2233720368547758e18",
        "-9223372036854775808", "-9223372036854775809", "-9223372036854775807", "1e300", "-1e300",
        "1.7976931348623157e308", "4611686018427387905", "4611686018427387904.0",
        "36028797018963969",
    ]
    static let strings = [
        "", "a", "a\u{0}", "a\u{0}b", "a\u{1}", "ab", "A", "é", "e\u{301}", "日本", "日", "/", "a/b",
        "\"", "\\",
        "\u{FFFF}", "😀", "\u{7F}", "5", "2020-01-01T00:00:00.000Z",
    ]

    mutating func number() -> JSONNumber {
        random.below(4) == 0
            ? JSONNumber(Int64(bitPattern: random.next()) >> Int64(random.below(64)))
            : JSONNumber(validated: Text(Self.numbers[random.below(Self.numbers.count)]))
    }

    mutating func value(depth: Int = 0) -> Value {
        switch random.below(depth > 2 ? 9 : 13) {
        case 0: return .null
        case 1: return .bool(random.below(2) == 0)
        case 2, 3: return .number(number())
        case 4, 5: return .string(Text(Self.strings[random.below(Self.strings.count)]))
        case 6:
            let times: [Int64] = [0, 1, -1, 1_577_836_800_000, 253_402_300_799_999]
            return .date(Timestamp(millisecondsSinceEpoch: times[random.below(times.count)]))
        case 7:
            return .geoPoint(
                latitude: JSONNumber(validated: ["1", "1.0", "2"][random.below(3)]),
                longitude: JSONNumber(Int64(random.below(3)))
            )
        case 8:
            return .pointer(
                className: ["Post", "user"][random.below(2)],
                objectID: ["a", "B"][random.below(2)]
            )
        case 9, 10:
            return .array((0..<random.below(4)).map { _ in value(depth: depth + 1) })
        default:
            return .object(members(depth: depth + 1))
        }
    }

    mutating func members(depth: Int) -> [ValueMember] {
        var names: [Text] = ["a", "b", "é", "e\u{301}", "x/y"]
        names.shuffle(using: &random)
        return names.prefix(random.below(4)).map {
            ValueMember(name: $0, value: value(depth: depth))
        }
    }
}

/// Comparison of values, written from the rulings alone and without key bytes.
enum NaiveOrder {
    static func order(_ left: Value, _ right: Value) -> Int {
        let ranks = (rank(left), rank(right))
        if ranks.0 != ranks.1 { return ranks.0 < ranks.1 ? -1 : 1 }
        switch (left, right) {
        case (.bool(let left), .bool(let right)):
            return (left ? 1 : 0) - (right ? 1 : 0)
        case (.number(let left), .number(let right)):
            return left.value.order(against: right.value)
        case (.string(let left), .string(let right)):
            return order(left, right)
        case (.date(let left), .date(let right)):
            return left < right ? -1 : left == right ? 0 : 1
        case (.array(let left), .array(let right)):
            for (left, right) in zip(left, right) where order(left, right) != 0 {
                return order(left, right)
            }
            return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
        default:
            return order(members(left), members(right))
        }
    }

    private static func order(_ left: [ValueMember], _ right: [ValueMember]) -> Int {
        for (left, right) in zip(left, right) {
            let byName = order(left.name, right.name)
            if byName != 0 { return byName }
            let byValue = order(left.value, right.value)
            if byValue != 0 { return byValue }
        }
        return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
    }

    private static func order(_ left: Text, _ right: Text) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        if left == right { return 0 }
        return left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    static func rank(_ value: Value) -> Int {
        switch value {
        case .null: 0
        case .number: 1
        case .string: 2
        case .geoPoint, .pointer, .relation, .object: 3
        case .array: 4
        case .bool: 5
        case .date: 6
        }
    }

    static func members(_ value: Value) -> [ValueMember] {
        let members: [ValueMember]
        switch value {
        case .geoPoint(let latitude, let longitude):
            members = [
                ValueMember(name: "__type", value: .string("GeoPoint")),
                ValueMember(name: "latitude", value: .number(latitude)),
                ValueMember(name: "longitude", value: .number(longitude)),
            ]
        case .pointer(let className, let objectID):
            members = [
                ValueMember(name: "__type", value: .string("Pointer")),
                ValueMember(name: "className", value: .string(className)),
                ValueMember(name: "objectId", value: .string(objectID)),
            ]
        case .relation(let className):
            members = [
                ValueMember(name: "__type", value: .string("Relation")),
                ValueMember(name: "className", value: .string(className)),
            ]
        case .object(let own): members = own
        default: members = []
        }
        return members.sorted { order($0.name, $1.name) < 0 }
    }
}
