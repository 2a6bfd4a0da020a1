import HatoWire
import ObjectModel

/// The third evaluator: what a query means, written from the rulings alone, as plainly as can be.
///
/// It knows neither key bytes nor canonical JSON nor SQL; it walks trees of values.
enum Reference {
    static func matches(_ filter: Filter, _ object: Subject) -> Bool {
        switch filter {
        case .all(let parts): parts.allSatisfy { matches($0, object) }
        case .any(let parts): parts.contains { matches($0, object) }
        case .field(let path, let condition):
            holds(condition, on: values(at: path, in: object), path)
        }
    }

    /// Whatever is found at a path: several values where it passes through arrays.
    static func values(at path: FieldPath, in object: Subject) -> [Value] {
        var found = [Value.object(object.fields + systemFields(object))]
        for name in path.components {
            found = found.flatMap { members(of: $0, named: name) }
        }
        return found
    }

    private static func systemFields(_ object: Subject) -> [ValueMember] {
        [
            ValueMember(name: "objectId", value: .string(object.id)),
            ValueMember(name: "createDate", value: .date(object.created)),
            ValueMember(name: "updateDate", value: .date(object.updated)),
        ]
    }

    /// Paths pass through objects in arrays.
    private static func members(of value: Value, named name: Text) -> [Value] {
        let holders: [Value]
        if case .array(let elements) = value { holders = elements } else { holders = [value] }
        return holders.flatMap { ReferenceOrder.members($0) }
            .filter { ReferenceOrder.order($0.name, name) == 0 }.map(\.value)
    }

    private static func holds(
        _ condition: FieldOperator,
        on found: [Value],
        _ path: FieldPath
    ) -> Bool {
        switch condition {
        case .equal(let literal): return isEqual(found, dated(literal, path))
        case .notEqual(let literal): return !isEqual(found, dated(literal, path))
        case .less(let literal): return isInRange(found, dated(literal, path)) { $0 < 0 }
        case .lessOrEqual(let literal): return isInRange(found, dated(literal, path)) { $0 <= 0 }
        case .greater(let literal): return isInRange(found, dated(literal, path)) { $0 > 0 }
        case .greaterOrEqual(let literal): return isInRange(found, dated(literal, path)) { $0 >= 0 }
        case .isIn(let literals): return literals.contains { isEqual(found, dated($0, path)) }
        case .isNotIn(let literals): return !literals.contains { isEqual(found, dated($0, path)) }
        case .exists(let wanted): return wanted == !found.isEmpty
        case .matches(let pattern):
            let plain = PlainPattern(pattern.text)
            return withElements(found).contains { value in
                if case .string(let text) = value { plain.isFound(in: text) } else { false }
            }
        case .containsAny(let literals): return containsAny(found, literals)
        case .containsNone(let literals): return !containsAny(found, literals)
        case .containsAll(let literals):
            return !literals.isEmpty
                && found.contains { value in literals.allSatisfy { isElement($0, of: value) } }
        case .near(let circle):
            return withElements(found).compactMap { Sphere.place($0) }.contains { place in
                circle.radiusRadians.map { Sphere.angle(place, circle.center) <= $0 } ?? true
            }
        case .within(let box):
            return withElements(found).compactMap { Sphere.place($0) }
                .contains { Sphere.contains(box, $0) }
        }
    }

    /// The values, and the elements of those that are arrays: what one operator may be satisfied by.
    static func withElements(_ found: [Value]) -> [Value] {
        found + found.flatMap { elements(of: $0) }
    }

    private static func elements(of value: Value) -> [Value] {
        if case .array(let elements) = value { elements } else { [] }
    }

    /// Equality with null also finds what is missing.
    private static func isEqual(_ found: [Value], _ literal: Value) -> Bool {
        if case .null = literal, found.isEmpty { return true }
        return withElements(found).contains { ReferenceOrder.areEqual($0, literal) }
    }

    /// Ranges stay inside the literal's type.
    private static func isInRange(
        _ found: [Value],
        _ literal: Value,
        _ isInside: (Int) -> Bool
    ) -> Bool {
        withElements(found).contains {
            ReferenceOrder.rank($0) == ReferenceOrder.rank(literal)
                && isInside(ReferenceOrder.order($0, literal))
        }
    }

    private static func containsAny(_ found: [Value], _ literals: [Value]) -> Bool {
        found.contains { value in literals.contains { isElement($0, of: value) } }
    }

    private static func isElement(_ literal: Value, of value: Value) -> Bool {
        elements(of: value).contains { ReferenceOrder.areEqual($0, literal) }
    }

    /// The system's dates may be asked for as plain ISO 8601 text too (compatibility.md, row 10).
    private static func dated(_ literal: Value, _ path: FieldPath) -> Value {
        guard case .string(let text) = literal, path.components.count == 1,
            ["createDate", "updateDate"].contains(path.components[0]),
            let moment = Timestamp(iso: text)
        else { return literal }
        return .date(moment)
    }
}
