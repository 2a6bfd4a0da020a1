import HatoWire

/// One operator, compiled; its meaning on missing fields and arrays is here.
///
/// An operator is asked of each value that the path finds, and of each element when that is an
/// array; one is enough. `$ne` is exactly the opposite of equality (rulings 10).
enum FieldTest: Sendable {
    case equal(Operand, matchesMissing: Bool)
    case notEqual(Operand, matchesMissing: Bool)
    case range(RangeTest)
    /// Whole keys in order.
    case isIn([[UInt8]], matchesMissing: Bool)
    case exists(Bool)

    /// Compiles an operator; `system` is the field it is asked of, when that is the system's.
    init(_ fieldOperator: FieldOperator, on system: SystemField?) {
        let normalized = { (literal: Value) in system?.normalized(literal) ?? literal }
        switch fieldOperator {
        case .equal(let literal):
            self = .equal(Operand(normalized(literal)), matchesMissing: literal == .null)
        case .notEqual(let literal):
            self = .notEqual(Operand(normalized(literal)), matchesMissing: literal == .null)
        case .less(let literal): self = .range(RangeTest(.less, normalized(literal)))
        case .lessOrEqual(let literal):
            self = .range(RangeTest(.lessOrEqual, normalized(literal)))
        case .greater(let literal): self = .range(RangeTest(.greater, normalized(literal)))
        case .greaterOrEqual(let literal):
            self = .range(RangeTest(.greaterOrEqual, normalized(literal)))
        case .isIn(let literals):
            let keys = Set(literals.map { OrderedKey.whole(normalized($0)) })
            self = .isIn(
                keys.sorted { $0.lexicographicallyPrecedes($1) },
                matchesMissing: literals.contains(.null)
            )
        case .exists(let isWanted): self = .exists(isWanted)
        }
    }

    /// Whether the test holds; `start` is where the path's first component has its value, nil when it
    /// has none.
    func holds(
        _ bytes: Span<UInt8>,
        at start: Int?,
        path: PathLookup,
        scratch: inout MatcherScratch
    ) -> Bool {
        switch self {
        case .equal(let operand, let matchesMissing):
            FieldTest.equals(operand, matchesMissing, bytes, start, path, &scratch)
        case .notEqual(let operand, let matchesMissing):
            !FieldTest.equals(operand, matchesMissing, bytes, start, path, &scratch)
        case .range(let range):
            FieldTest.contains(bytes, start, path) { range.holds(bytes, at: $0) }
        case .isIn(let keys, let matchesMissing):
            FieldTest.contains(bytes, start, path) { value in
                scratch.key.removeAll(keepingCapacity: true)
                OrderedKey.appendWhole(bytes, at: value, to: &scratch.key)
                return FieldTest.search(scratch.key, in: keys)
            } || matchesMissing && !FieldTest.exists(bytes, start, path)
        case .exists(let isWanted):
            FieldTest.exists(bytes, start, path) == isWanted
        }
    }

    private static func equals(
        _ operand: Operand,
        _ matchesMissing: Bool,
        _ bytes: Span<UInt8>,
        _ start: Int?,
        _ path: PathLookup,
        _ scratch: inout MatcherScratch
    ) -> Bool {
        contains(bytes, start, path) { operand.equals(bytes, at: $0, scratch: &scratch.key) }
            || matchesMissing && !exists(bytes, start, path)
    }

    /// Whether one of the path's values, or an element of one, passes.
    private static func contains(
        _ bytes: Span<UInt8>,
        _ start: Int?,
        _ path: PathLookup,
        _ isMet: (Int) -> Bool
    ) -> Bool {
        guard let start else { return false }
        return path.contains(bytes, at: start) { value in
            if isMet(value) { return true }
            guard value < bytes.count, bytes[value] == 0x5B else { return false }
            var cursor = ElementCursor(bytes, array: value)
            while let element = cursor.next(in: bytes) {
                if isMet(element) { return true }
            }
            return false
        }
    }

    private static func exists(_ bytes: Span<UInt8>, _ start: Int?, _ path: PathLookup) -> Bool {
        guard let start else { return false }
        return path.contains(bytes, at: start) { _ in true }
    }

    private static func search(_ key: [UInt8], in keys: [[UInt8]]) -> Bool {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = low &+ (high &- low) / 2
            if keys[middle] == key { return true }
            if keys[middle].lexicographicallyPrecedes(key) {
                low = middle &+ 1
            } else {
                high = middle
            }
        }
        return false
    }
}
