package import HatoWire

/// Names a field, or by dots a place inside it: `body`, `address.city`.
///
/// `objectId`, `createDate`, `updateDate` are the system's. Access lists are no path: `acl` is refused.
package struct FieldPath: Sendable, Hashable {
    /// At least one component, none empty.
    package let components: [Text]

    /// Checks and splits a path. Errors: `invalidFormat`.
    package init(_ text: Text) throws(DomainError) {
        var components: [Text] = []
        for part in text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false) {
            let component = Text(utf8: part)
            try FieldName.check(component)
            components.append(component)
        }
        guard components.count <= 32, components.first != "acl" else {
            throw DomainError(.invalidFormat, text)
        }
        self.components = components
    }
}

/// The rule for names of fields (rulings 4).
package enum FieldName {
    package static let limitBytes = 256

    /// Checks one name. Errors: `invalidFormat` with the name as subject.
    package static func check(_ name: Text) throws(DomainError) {
        let utf8 = name.utf8
        guard let first = utf8.first, utf8.count <= limitBytes, first != 0x24, first != 0x5F,
            !utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0x2E })
        else { throw DomainError(.invalidFormat, name.utf8.count <= limitBytes ? name : "field name") }
    }
}
