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

    /// Keys that one principal may have (rulings 8).
    package static let keyLimit = 1_000

    /// The ACL keys that speak for this principal: `*`, the user's id, `role:NAME` each.
    ///
    /// Past `keyLimit` the last roles do not count: a principal with too many may do less, never more.
    package var keys: [Text] {
        var keys: [Text] = ["*"]
        if let userID { keys.append(userID) }
        for role in roles.prefix(Principal.keyLimit - keys.count) {
            keys.append(Text("role:" + role.string))
        }
        return keys
    }
}
