package import HatoWire

/// Who asks: a stranger, a signed-in user with roles, or the administrator.
package struct Principal: Sendable, Hashable {
    /// The signed-in user's objectId; nil for a stranger.
    package var userID: Text?
    /// Names of all roles the user is in, without the `role:` prefix.
    package var roles: [Text]
    /// Whether ACLs and class rules do not bind (command line, admin key).
    package var isAdministrator: Bool

    package init(userID: Text? = nil, roles: [Text] = [], isAdministrator: Bool = false) {
        self.userID = userID
        self.roles = roles
        self.isAdministrator = isAdministrator
    }

    package static let stranger = Principal()
    package static let administrator = Principal(isAdministrator: true)

    /// The ACL keys that speak for this principal: `*`, the user's id, `role:NAME` each.
    package var keys: [Text] {
        var keys: [Text] = ["*"]
        if let userID { keys.append(userID) }
        for role in roles { keys.append(Text("role:" + role.string)) }
        return keys
    }
}
