import HatoWire
import ObjectModel

/// The total order of values (rulings 10).
enum ReferenceOrder {
    /// Returns −1, 0 or 1 when `left` is less, equal or greater.
    static func order(_ left: Value, _ right: Value) -> Int {
        let ranks = (rank(left), rank(right))
        if ranks.0 != ranks.1 { return ranks.0 < ranks.1 ? -1 : 1 }
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return order(left ? 1 : 0, right ? 1 : 0)
        case (.number(let left), .number(let right)):
            return ExactNumber(left).order(ExactNumber(right))
        case (.string(let left), .string(let right)): return order(left, right)
        case (.date(let left), .date(let right)):
            return order(left.millisecondsSinceEpoch, right.millisecondsSinceEpoch)
        case (.array(let left), .array(let right)): return order(left, right)
        default: return order(members(left), members(right))
        }
    }

    static func areEqual(_ left: Value, _ right: Value) -> Bool { order(left, right) == 0 }

    /// null < numbers < strings < objects < arrays < booleans < dates.
    static func rank(_ value: Value) -> Int {
        switch value {
        case .null: 0
        case .number: 1
        case .string: 2
        case .object, .pointer, .geoPoint, .relation: 3
        case .array: 4
        case .bool: 5
        case .date: 6
        }
    }

    /// The members of an object, typed ones included; none for any other value.
    static func members(_ value: Value) -> [ValueMember] {
        switch value {
        case .object(let members): members
        case .pointer(let className, let objectID):
            typed("Pointer", [("className", .string(className)), ("objectId", .string(objectID))])
        case .geoPoint(let latitude, let longitude):
            typed("GeoPoint", [("latitude", .number(latitude)), ("longitude", .number(longitude))])
        case .relation(let className): typed("Relation", [("className", .string(className))])
        case .null, .number, .string, .array, .bool, .date: []
        }
    }

    private static func typed(_ type: Text, _ members: [(Text, Value)]) -> [ValueMember] {
        ([("__type", .string(type))] + members).map { ValueMember(name: $0.0, value: $0.1) }
    }

    private static func order(_ left: [ValueMember], _ right: [ValueMember]) -> Int {
        let left = left.sorted { order($0.name, $1.name) < 0 }
        let right = right.sorted { order($0.name, $1.name) < 0 }
        for (left, right) in zip(left, right) {
            let names = order(left.name, right.name)
            if names != 0 { return names }
            let values = order(left.value, right.value)
            if values != 0 { return values }
        }
        return order(left.count, right.count)
    }

    private static func order(_ left: [Value], _ right: [Value]) -> Int {
        for (left, right) in zip(left, right) {
            let elements = order(left, right)
            if elements != 0 { return elements }
        }
        return order(left.count, right.count)
    }

    /// By the bytes of UTF-8, never by canonical equivalence.
    static func order(_ left: Text, _ right: Text) -> Int {
        for (left, right) in zip(left.string.utf8, right.string.utf8) where left != right {
            return left < right ? -1 : 1
        }
        return order(left.string.utf8.count, right.string.utf8.count)
    }

    static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }
}
