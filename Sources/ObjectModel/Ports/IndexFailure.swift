package import HatoWire

/// Why an index that was declared could not be built.
package struct IndexFailure: Sendable, Hashable {
    package enum Reason: String, Sendable, CaseIterable {
        /// An array of the field has more elements than an index takes.
        case longArray
        /// The database did not take a key that the object should have.
        case refusedKey
    }

    package var reason: Reason
    /// The object that is the cause.
    package var objectID: Text

    package init(reason: Reason, objectID: Text) {
        self.reason = reason
        self.objectID = objectID
    }
}
