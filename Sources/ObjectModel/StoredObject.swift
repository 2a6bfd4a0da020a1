package import HatoWire

/// An object as the store keeps it.
package struct StoredObject: Sendable, Hashable {
    /// The store's own number of the object; orders objects of one millisecond.
    package var row: Int64
    package var id: Text
    package var created: Timestamp
    package var updated: Timestamp
    package var acl: ACL
    /// Canonical JSON: an object with the client's own fields only, `{}` when there are none.
    package var document: [UInt8]

    package init(
        row: Int64,
        id: Text,
        created: Timestamp,
        updated: Timestamp,
        acl: ACL,
        document: [UInt8]
    ) {
        self.row = row
        self.id = id
        self.created = created
        self.updated = updated
        self.acl = acl
        self.document = document
    }
}

/// One committed change, as the change log numbers it.
package struct Change: Sendable {
    package enum Kind: String, Sendable {
        case create
        case update
        case delete
    }

    /// Rises by one per change of an application, never reused.
    package var sequence: Int64
    package var kind: Kind
    package var className: ClassName
    /// The class's settings when the change was told.
    package var settings: ClassSettings
    /// Absent for `create`.
    package var before: StoredObject?
    /// Absent for `delete`.
    package var after: StoredObject?

    package init(
        sequence: Int64,
        kind: Kind,
        className: ClassName,
        settings: ClassSettings,
        before: StoredObject?,
        after: StoredObject?
    ) {
        self.sequence = sequence
        self.kind = kind
        self.className = className
        self.settings = settings
        self.before = before
        self.after = after
    }
}
