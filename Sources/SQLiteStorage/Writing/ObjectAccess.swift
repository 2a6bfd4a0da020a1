import HatoWire
import ObjectModel

/// An ACL as the tables keep it: the bytes, the flag, and the grants of what is not public.
struct ObjectAccess: Sendable {
    let acl: ACL
    /// Whether everybody may read; then no grants are kept.
    let isPublic: Bool
    /// Who may read by a grant.
    let readers: [Text]

    init(_ acl: ACL) {
        self.acl = acl
        self.isPublic = acl.isPublicRead
        self.readers = isPublic ? [] : acl.readKeys
    }

    static let everybody = ObjectAccess(.everybody)
}
