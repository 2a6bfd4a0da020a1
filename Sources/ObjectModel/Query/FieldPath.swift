package import HatoWire

/// Names a field, or by dots a place inside it: `body`, `address.city`.
///
/// `objectId`, `createDate`, `updateDate` are the system's. Access lists are no path: `acl` is refused.
package struct FieldPath: Sendable, Hashable {
    /// At least one component, none empty.
    package let components: [Text]

    /// As deep as a document may be (rulings 8).
    package static let componentLimit = 32

    /// Checks and splits a path.
    ///
    /// Errors: `invalidFormat`.
    package init(_ text: Text) throws(DomainError) {
        // Nearly every path is one name, which has no dot in it.
        if FieldName.isField(text), text != "acl" {
            components = [text]
            return
        }
        var components: [Text] = []
        for part in text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false) {
            let component = Text(utf8: part)
            if components.isEmpty {
                try FieldName.check(component)
            } else {
                guard !part.isEmpty, FieldName.isAllowedInside(component) else {
                    throw DomainError(.invalidFormat, FieldName.subject(text))
                }
            }
            components.append(component)
        }
        guard components.count <= FieldPath.componentLimit, components.first != "acl" else {
            throw DomainError(.invalidFormat, FieldName.subject(text))
        }
        self.components = components
    }

    private init(name: Text) {
        components = [name]
    }

    /// When an object was made: the system's field by which lists are ordered.
    package static let createDate = FieldPath(name: "createDate")

    /// The path as it was written.
    package var text: Text {
        if components.count == 1 { return components[0] }
        return Text(components.map(\.string).joined(separator: "."))
    }
}

/// The rule for names of fields (rulings 4).
package enum FieldName {
    package static let limitBytes = 256

    /// Checks one name.
    ///
    /// Errors: `invalidFormat` with the name as subject.
    package static func check(_ name: Text) throws(DomainError) {
        guard isField(name) else { throw DomainError(.invalidFormat, subject(name)) }
    }

    static func isField(_ name: Text) -> Bool {
        name.withBytes { bytes in
            bytes.count > 0 && bytes[0] != 0x5F && isAllowedInside(bytes)
        }
    }

    /// What an error calls a name: itself, unless it is too long to be repeated.
    static func subject(_ name: Text) -> Text {
        name.utf8.count <= limitBytes ? name : "field name"
    }

    /// Whether an object inside a field may have a member of this name.
    ///
    /// Any text that a path or an operator can't be mistaken for; unlike fields, members may begin
    /// with `_` (they are data) and may be empty.
    static func isAllowedInside(_ name: Text) -> Bool {
        name.withBytes { isAllowedInside($0) }
    }

    private static func isAllowedInside(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= limitBytes else { return false }
        if bytes.count > 0, bytes[0] == 0x24 { return false }
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x7F || byte == 0x2E { return false }
            // U+0080 to U+009F are controls too: a terminal obeys them.
            if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 { return false }
        }
        return true
    }
}
