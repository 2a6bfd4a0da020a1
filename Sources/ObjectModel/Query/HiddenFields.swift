import HatoWire

/// Fields of accounts that no filter, order or include may name: an answer that depends on them would
/// tell their values, one guess at a time (rulings 13 and 25).
///
/// They are kept apart from the users' documents, so an index of them would help nobody.
package enum HiddenFields {
    private static let ofUsers: [Text] = [
        "mailAddress", "mailAddressConfirm", "authData", "password", "sessionToken",
        "temporaryPassword",
    ]

    /// Whether the path begins with such a field.
    package static func contains(_ path: FieldPath, of className: ClassName) -> Bool {
        className == .user && ofUsers.contains(path.components[0])
    }

    /// Errors: `invalidValue` with the field's name.
    package static func check(
        _ path: FieldPath,
        of className: ClassName
    ) throws(DomainError) {
        guard contains(path, of: className) else { return }
        throw DomainError(.invalidValue, path.components[0])
    }
}
