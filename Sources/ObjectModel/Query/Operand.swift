import HatoWire

/// A literal in the form in which it is compared with canonical bytes.
enum Operand: Sendable {
    /// Values that have one canonical form: equal when the bytes are.
    case exact([UInt8])
    case number(NumberValue)
    /// Arrays, objects and GeoPoints: equal when their whole ordered keys are.
    case key([UInt8])

    init(_ literal: Value) {
        switch literal {
        case .null, .bool, .string, .date, .pointer, .relation:
            self = .exact(literal.canonicalBytes)
        case .number(let number):
            self = .number(number.value)
        case .geoPoint, .array, .object:
            self = .key(OrderedKey.whole(literal))
        }
    }

    /// Whether the value at `start` equals the literal; `scratch` is overwritten.
    func equals(_ bytes: Span<UInt8>, at start: Int, scratch: inout [UInt8]) -> Bool {
        guard start < bytes.count else { return false }
        switch self {
        case .exact(let expected):
            let end = start &+ expected.count
            guard end <= bytes.count else { return false }
            return CanonicalJSON.areEqual(bytes.extracting(start..<end), expected.span)
        case .number(let number):
            guard Operand.isNumber(bytes[start]) else { return false }
            let end = CanonicalJSON.endOfValue(bytes, from: start)
            return NumberValue(validated: bytes.extracting(start..<end)) == number
        case .key(let key):
            guard bytes[start] == 0x5B || bytes[start] == 0x7B else { return false }
            scratch.removeAll(keepingCapacity: true)
            OrderedKey.appendWhole(bytes, at: start, to: &scratch)
            return scratch == key
        }
    }

    static func isNumber(_ byte: UInt8) -> Bool {
        byte == 0x2D || byte &- 0x30 < 10
    }
}

/// A bound and on which side of it a value must lie; only values of its own type do (rulings 10).
struct RangeTest: Sendable {
    enum Relation: Sendable {
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
    }

    private enum Bound: Sendable {
        case number(NumberValue)
        /// UTF-8, not escaped.
        case string([UInt8])
        case date(Timestamp)
        /// A literal that no range is defined for; `Query.check` refuses it.
        case none
    }

    private let relation: Relation
    private let bound: Bound

    init(_ relation: Relation, _ literal: Value) {
        self.relation = relation
        switch literal {
        case .number(let number): self.bound = .number(number.value)
        case .string(let text): self.bound = .string(Array(text.utf8))
        case .date(let timestamp): self.bound = .date(timestamp)
        case .null, .bool, .geoPoint, .pointer, .relation, .array, .object: self.bound = .none
        }
    }

    /// Whether a range may ask for this literal: a number, a string or a Date.
    static func isDefined(for literal: Value) -> Bool {
        if case .none = RangeTest(.less, literal).bound { return false }
        return true
    }

    /// Whether the value at `start` lies in the range.
    func holds(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start < bytes.count else { return false }
        switch bound {
        case .number(let number):
            guard Operand.isNumber(bytes[start]) else { return false }
            let end = CanonicalJSON.endOfValue(bytes, from: start)
            return holds(
                NumberValue(validated: bytes.extracting(start..<end)).order(against: number)
            )
        case .string(let text):
            guard bytes[start] == 0x22 else { return false }
            let end = CanonicalJSON.endOfString(bytes, from: start) &- 1
            guard end > start else { return false }
            return holds(RangeTest.order(bytes.extracting(start &+ 1..<end), against: text.span))
        case .date(let timestamp):
            guard let value = CanonicalJSON.date(bytes, at: start) else { return false }
            return holds(value < timestamp ? -1 : value == timestamp ? 0 : 1)
        case .none:
            return false
        }
    }

    private func holds(_ order: Int) -> Bool {
        switch relation {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// Compares a string's escaped inside with plain UTF-8 by bytes.
    private static func order(_ escaped: Span<UInt8>, against text: Span<UInt8>) -> Int {
        var position = 0
        var index = 0
        while position < escaped.count {
            let character = JSONEscapes.next(escaped, at: &position)
            for offset in 0..<character.count {
                guard index < text.count else { return 1 }
                let (left, right) = (character.byte(offset), text[index])
                if left != right { return left < right ? -1 : 1 }
                index &+= 1
            }
        }
        return index < text.count ? -1 : 0
    }
}
