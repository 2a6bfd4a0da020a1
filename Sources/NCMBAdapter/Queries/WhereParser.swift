import HatoWire
import ObjectModel

/// Reads `where` into the query tree.
///
/// `{"n":1,"m":{"$gt":2,"$lte":5}}`: all members hold, and all operators of one field. An operator
/// that this server does not know is refused by name, never left out: the answer would be another
/// question's.
struct WhereParser {
    let className: ClassName

    /// Limits, and which operands a range takes, are `Query.check`'s to say.
    ///
    /// Errors: `malformedJSON`; `invalidValue` with an operator's or hidden field's name;
    /// `invalidType` with the field's name for an operand of the wrong type.
    func parse(_ bytes: [UInt8]) throws(DomainError) -> Filter {
        let json: JSON
        do throws(JSONError) {
            json = try JSON.parse(bytes)
        } catch {
            throw DomainError(.malformedJSON)
        }
        guard case .object(let object) = json else { throw DomainError(.malformedJSON) }
        var conditions: [Filter] = []
        for member in object.members {
            guard member.name.utf8.first != 0x24 else { throw WhereParser.unknown(member.name) }
            let path = try FieldPath(member.name)
            try HiddenFields.check(path, of: className)
            for condition in try self.conditions(member.name, member.value) {
                conditions.append(.field(path, condition))
            }
        }
        return .all(conditions)
    }

    private func conditions(_ field: Text, _ json: JSON) throws(DomainError) -> [FieldOperator] {
        guard case .object(let object) = json,
            object.members.contains(where: { $0.name.utf8.first == 0x24 })
        else { return [.equal(try value(json, field))] }
        var operators: [FieldOperator] = []
        for member in object.members {
            operators.append(try self.operator(member.name, member.value, field))
        }
        return operators
    }

    private func `operator`(
        _ name: Text,
        _ operand: JSON,
        _ field: Text
    ) throws(DomainError) -> FieldOperator {
        switch name {
        case "$ne": return .notEqual(try value(operand, field))
        case "$lt": return .less(try value(operand, field))
        case "$lte": return .lessOrEqual(try value(operand, field))
        case "$gt": return .greater(try value(operand, field))
        case "$gte": return .greaterOrEqual(try value(operand, field))
        case "$in": return .isIn(try list(operand, field))
        case "$exists":
            guard case .bool(let exists) = operand else { throw DomainError(.invalidType, field) }
            return .exists(exists)
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

    private static func unknown(_ name: Text) -> DomainError {
        DomainError(.invalidValue, name.utf8.count <= FieldName.limitBytes ? name : "where")
    }
}
