package import HatoWire

/// What the body of a POST or PUT asks for: the changes of fields and the access list.
package struct ObjectDraft: Sendable {
    /// In the order of the body; each name once.
    package var changes: [FieldChange]
    /// nil when absent or null: the class's default on create, unchanged on update (rulings 12).
    package var acl: ACL?

    package init(changes: [FieldChange] = [], acl: ACL? = nil) {
        self.changes = changes
        self.acl = acl
    }
}

extension ObjectDraft {
    /// Decodes a body's bytes.
    ///
    /// Errors: as `object(body:)` and `decode(_ object:)`.
    package static func decode(
        body: [UInt8],
        limits: DocumentLimits = DocumentLimits()
    ) throws(DomainError) -> ObjectDraft {
        try decode(object(body: body, limits: limits), limits: limits)
    }

    /// Parses a body that must be a JSON object.
    ///
    /// For callers that take members of their own out of it first. Errors: `malformedJSON`;
    /// `documentTooLarge` for a body that can't fit a document, found before a tree is built of it.
    package static func object(
        body: [UInt8],
        limits: DocumentLimits = DocumentLimits()
    ) throws(DomainError) -> JSONObject {
        do throws(JSONError) {
            guard case .object(let object) = try JSON.parse(body, limits: limits.json) else {
                throw JSONError(.unexpectedByte, at: 0)
            }
            return object
        } catch {
            throw DomainError(
                error.code.isTooMuch ? .documentTooLarge : .malformedJSON,
                cause: "\(error.code) at byte \(error.offset)"
            )
        }
    }

    /// Decodes a body.
    ///
    /// `objectId`, `createDate` and `updateDate` are the system's alone; SDKs send them back as they got
    /// them, so they are passed over (ncmb-rest §8).
    ///
    /// Errors: `invalidFormat` with the field as subject for a bad name; `invalidType` for operations
    /// that do not exist or have wrong operands; those of `Value(json:)` and `ACL(json:)`;
    /// `documentTooLarge` for more than `limits.fieldCount` fields.
    package static func decode(
        _ object: JSONObject,
        limits: DocumentLimits = DocumentLimits()
    ) throws(DomainError) -> ObjectDraft {
        guard object.members.count <= limits.fieldCount + SystemField.allCases.count + 1 else {
            throw DomainError(.documentTooLarge)
        }
        var draft = ObjectDraft()
        draft.changes.reserveCapacity(object.members.count)
        for member in object.members where SystemField(member.name) == nil {
            if member.name == "acl" {
                if member.value != .null {
                    draft.acl = try ACL(json: member.value, entryLimit: limits.aclEntries)
                }
                continue
            }
            try FieldName.check(member.name)
            draft.changes.append(
                FieldChange(
                    name: member.name,
                    operation: try FieldOperation(json: member.value, field: member.name)
                )
            )
        }
        guard draft.changes.count <= limits.fieldCount else {
            throw DomainError(.documentTooLarge)
        }
        return draft
    }
}

extension JSONError.Code {
    /// Whether the text may be JSON and there is too much of it.
    fileprivate var isTooMuch: Bool {
        switch self {
        case .tooManyBytes, .tooManyValues, .tooManyMembers: true
        case .unexpectedEnd, .unexpectedByte, .byteOrderMark, .trailingText, .invalidUTF8,
            .controlCharacter, .invalidEscape, .loneSurrogate, .invalidNumber, .numberOutOfRange,
            .duplicateName, .nulInName, .tooDeep, .numberTooLong:
            false
        }
    }
}

extension FieldOperation {
    /// Recognises NCMB's operations (ncmb-rest §7); any other value is set as it is.
    ///
    /// Errors: `invalidType` with the field as subject.
    package init(json: JSON, field: Text) throws(DomainError) {
        guard case .object(let object) = json, let name = object["__op"] else {
            self = .set(try Value(json: json, field: field))
            return
        }
        guard case .string(let name) = name else { throw DomainError(.invalidType, field) }
        switch name {
        case "Increment":
            guard case .number(let amount) = object["amount"] else {
                throw DomainError(.invalidType, field)
            }
            self = .increment(amount)
        case "Add": self = .add(try FieldOperation.objects(of: object, field: field))
        case "AddUnique": self = .addUnique(try FieldOperation.objects(of: object, field: field))
        case "Remove": self = .remove(try FieldOperation.objects(of: object, field: field))
        default: throw DomainError(.invalidType, field)
        }
    }

    private static func objects(
        of object: JSONObject,
        field: Text
    ) throws(DomainError) -> [Value] {
        guard case .array(let elements) = object["objects"] else {
            throw DomainError(.invalidType, field)
        }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try Value(json: element, field: field)) }
        return values
    }
}
