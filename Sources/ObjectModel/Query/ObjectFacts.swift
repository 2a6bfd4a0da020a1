package import HatoWire

/// What the system knows of an object and queries may ask for.
package struct ObjectFacts: Sendable, Hashable {
    package var id: Text
    package var created: Timestamp
    package var updated: Timestamp

    package init(id: Text, created: Timestamp, updated: Timestamp) {
        self.id = id
        self.created = created
        self.updated = updated
    }
}
