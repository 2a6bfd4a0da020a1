import HatoWire

extension FieldPath {
    /// Whether it names a field that stands beside the document.
    package var isSystemField: Bool { SystemField(components[0]) != nil }
}

/// The fields that stand beside the document.
enum SystemField: Sendable, CaseIterable {
    case objectID
    case createDate
    case updateDate

    init?(_ name: Text) {
        switch name {
        case "objectId": self = .objectID
        case "createDate": self = .createDate
        case "updateDate": self = .updateDate
        default: return nil
        }
    }

    /// Returns the literal as it compares with this field: dates may be asked for as plain text too.
    func normalized(_ literal: Value) -> Value {
        switch (self, literal) {
        case (.createDate, .string(let text)), (.updateDate, .string(let text)):
            Timestamp(iso: text).map(Value.date) ?? literal
        default:
            literal
        }
    }

    /// Appends the field's value in canonical JSON; dates as Date objects, which is what they compare
    /// with.
    func append(_ facts: ObjectFacts, to output: inout [UInt8]) {
        switch self {
        case .objectID: Value.string(facts.id).append(to: &output)
        case .createDate: Value.date(facts.created).append(to: &output)
        case .updateDate: Value.date(facts.updated).append(to: &output)
        }
    }
}
