import HatoWire
import ObjectModel

/// Reads `where` into the query tree.
///
/// `{"n":1,"m":{"$gt":2,"$lte":5},"$or":[{…},{…}]}`: all members hold, and all operators of one field.
/// An operator that this server does not know is refused by name, never left out: the answer would be
/// another question's.
struct WhereParser {
    let className: ClassName
    var limits = QueryLimits()
    var patterns = PatternCache()

    /// Most limits, and which operands a range takes, are `Query.check`'s to say; here are those on
    /// what costs before: bytes, and patterns to compile.
    ///
    /// Errors: `malformedJSON`; `invalidValue` with an operator's, a field's or a hidden field's name;
    /// `invalidType` with the field's name, or `$or`, for an operand of the wrong type.
    func parse(_ bytes: [UInt8]) throws(DomainError) -> Filter {
        guard bytes.count <= limits.filterBytes else { throw DomainError(.invalidValue, "where") }
        let json: JSON
        do throws(JSONError) {
            json = try JSON.parse(bytes)
        } catch {
            throw DomainError(.malformedJSON)
        }
        guard case .object(let object) = json else { throw DomainError(.malformedJSON) }
        var patternCount = 0
        return .all(try parts(object, &patternCount))
    }

    private func parts(
        _ object: JSONObject,
        _ patternCount: inout Int
    ) throws(DomainError) -> [Filter] {
        var parts: [Filter] = []
        for member in object.members {
            guard member.name.utf8.first != 0x24 else {
                guard member.name == "$or" else { throw WhereParser.unknown(member.name) }
                parts.append(.any(try choices(member.value, &patternCount)))
                continue
            }
            let path = try FieldPath(member.name)
            try HiddenFields.check(path, of: className)
            for condition in try conditions(member.name, member.value, &patternCount) {
                parts.append(.field(path, condition))
            }
        }
        return parts
    }

    /// Reads `$or`; as deep as JSON may be.
    private func choices(
        _ json: JSON,
        _ patternCount: inout Int
    ) throws(DomainError) -> [Filter] {
        guard case .array(let elements) = json else { throw DomainError(.invalidType, "$or") }
        guard !elements.isEmpty else { throw DomainError(.invalidValue, "$or") }
        var choices: [Filter] = []
        for element in elements {
            guard case .object(let object) = element else {
                throw DomainError(.invalidType, "$or")
            }
            choices.append(.all(try parts(object, &patternCount)))
        }
        return choices
    }

    private func conditions(
        _ field: Text,
        _ json: JSON,
        _ patternCount: inout Int
    ) throws(DomainError) -> [FieldOperator] {
        guard case .object(let object) = json,
            object.members.contains(where: { $0.name.utf8.first == 0x24 })
        else { return [.equal(try value(json, field))] }
        var operators: [FieldOperator] = []
        for member in object.members where !GeoOperand.isDistance(member.name) {
            operators.append(
                try self.operator(member.name, member.value, field, object, &patternCount)
            )
        }
        let hasCircle = object["$nearSphere"] != nil
        if !hasCircle,
            let distance = object.members.first(where: { GeoOperand.isDistance($0.name) })
        {
            throw WhereParser.unknown(distance.name)
        }
        return operators
    }

    private func `operator`(
        _ name: Text,
        _ operand: JSON,
        _ field: Text,
        _ siblings: JSONObject,
        _ patternCount: inout Int
    ) throws(DomainError) -> FieldOperator {
        switch name {
        case "$ne": return .notEqual(try value(operand, field))
        case "$lt": return .less(try value(operand, field))
        case "$lte": return .lessOrEqual(try value(operand, field))
        case "$gt": return .greater(try value(operand, field))
        case "$gte": return .greaterOrEqual(try value(operand, field))
        case "$in": return .isIn(try list(operand, field))
        case "$nin": return .isNotIn(try list(operand, field))
        case "$inArray": return .containsAny(try list(operand, field))
        case "$ninArray": return .containsNone(try list(operand, field))
        case "$all": return .containsAll(try list(operand, field))
        case "$exists":
            guard case .bool(let exists) = operand else { throw DomainError(.invalidType, field) }
            return .exists(exists)
        case "$regex":
            guard case .string(let text) = operand else { throw DomainError(.invalidType, field) }
            patternCount += 1
            guard patternCount <= limits.patternCount else {
                throw DomainError(.invalidValue, "$regex")
            }
            return .matches(try patterns.pattern(text, limits.pattern))
        case "$nearSphere":
            return .near(try GeoOperand.circle(operand, siblings, field))
        case "$within":
            return .within(try GeoOperand.box(operand, field))
        default: throw WhereParser.unknown(name)
        }
    }

    private func list(_ json: JSON, _ field: Text) throws(DomainError) -> [Value] {
        guard case .array(let elements) = json else { throw DomainError(.invalidType, field) }
        var values: [Value] = []
        for element in elements { values.append(try value(element, field)) }
        return values
    }

    private func value(_ json: JSON, _ field: Text) throws(DomainError) -> Value {
        try Value(json: json, field: field)
    }

    static func unknown(_ name: Text) -> DomainError {
        DomainError(.invalidValue, name.utf8.count <= FieldName.limitBytes ? name : "where")
    }
}
