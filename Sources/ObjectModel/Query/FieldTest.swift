import HatoWire

/// One operator, compiled; its meaning on missing fields and arrays is here.
///
/// An operator is asked of each value that the path finds, and of each element when that is an
/// array; one is enough. Only what asks for contents looks at elements alone: a value that is no array
/// contains nothing. Negations are exactly the opposite of their positives (rulings 10).
enum FieldTest: Sendable {
    case equal(Operand, matchesMissing: Bool)
    case notEqual(Operand, matchesMissing: Bool)
    case range(RangeTest)
    case isIn(KeyList)
    case isNotIn(KeyList)
    case exists(Bool)
    case matches(CompiledPattern)
    case containsAny(KeyList)
    case containsNone(KeyList)
    case containsAll(KeyList)
    case near(GeoCircle)
    case within(GeoBox)

    /// Compiles an operator; `system` is the field it is asked of, when that is the system's.
    init(_ fieldOperator: FieldOperator, on system: SystemField?) {
        let normalized = { (literal: Value) in system?.normalized(literal) ?? literal }
        let keys = { (literals: [Value]) in KeyList(literals.map(normalized)) }
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
        case .isIn(let literals): self = .isIn(keys(literals))
        case .isNotIn(let literals): self = .isNotIn(keys(literals))
        case .exists(let isWanted): self = .exists(isWanted)
        case .matches(let pattern): self = .matches(pattern.compiled)
        case .containsAny(let literals): self = .containsAny(keys(literals))
        case .containsNone(let literals): self = .containsNone(keys(literals))
        case .containsAll(let literals): self = .containsAll(keys(literals))
        case .near(let circle): self = .near(circle)
        case .within(let box): self = .within(box)
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
        case .isIn(let keys): FieldTest.isIn(keys, bytes, start, path, &scratch)
        case .isNotIn(let keys): !FieldTest.isIn(keys, bytes, start, path, &scratch)
        case .exists(let isWanted): FieldTest.exists(bytes, start, path) == isWanted
        case .matches(let pattern):
            FieldTest.contains(bytes, start, path) { scratch.finds(pattern, bytes, at: $0) }
        case .containsAny(let keys): FieldTest.containsAny(keys, bytes, start, path, &scratch)
        case .containsNone(let keys): !FieldTest.containsAny(keys, bytes, start, path, &scratch)
        case .containsAll(let keys): FieldTest.containsAll(keys, bytes, start, path, &scratch)
        case .near(let circle):
            FieldTest.contains(bytes, start, path) {
                GeoPosition(canonical: bytes, at: $0).map(circle.contains) ?? false
            }
        case .within(let box):
            FieldTest.contains(bytes, start, path) {
                GeoPosition(canonical: bytes, at: $0).map(box.contains) ?? false
            }
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

    private static func isIn(
        _ keys: KeyList,
        _ bytes: Span<UInt8>,
        _ start: Int?,
        _ path: PathLookup,
        _ scratch: inout MatcherScratch
    ) -> Bool {
        contains(bytes, start, path) { keys.index(of: $0, in: bytes, &scratch.key) != nil }
            || keys.hasNull && !exists(bytes, start, path)
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
}

// MARK: - Arrays and what they contain

extension FieldTest {
    private static func containsAny(
        _ keys: KeyList,
        _ bytes: Span<UInt8>,
        _ start: Int?,
        _ path: PathLookup,
        _ scratch: inout MatcherScratch
    ) -> Bool {
        guard let start else { return false }
        return path.contains(bytes, at: start) { value in
            var cursor = ElementCursor(bytes, array: value)
            while let element = cursor.next(in: bytes) {
                if keys.index(of: element, in: bytes, &scratch.key) != nil { return true }
            }
            return false
        }
    }

    /// Each key may be met by another of the path's arrays, like conditions of their own.
    private static func containsAll(
        _ keys: KeyList,
        _ bytes: Span<UInt8>,
        _ start: Int?,
        _ path: PathLookup,
        _ scratch: inout MatcherScratch
    ) -> Bool {
        guard let start, keys.count > 0 else { return false }
        scratch.found.removeAll(keepingCapacity: true)
        scratch.found.append(contentsOf: repeatElement(false, count: keys.count))
        var missingCount = keys.count
        return path.contains(bytes, at: start) { value in
            var cursor = ElementCursor(bytes, array: value)
            while let element = cursor.next(in: bytes) {
                guard let index = keys.index(of: element, in: bytes, &scratch.key),
                    !scratch.found[index]
                else { continue }
                scratch.found[index] = true
                missingCount &-= 1
                if missingCount == 0 { return true }
            }
            return false
        }
    }
}
