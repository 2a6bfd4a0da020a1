package import HatoWire

/// An object's access control list: who may read and who may write it.
///
/// Kept as its canonical JSON, the bytes that are stored and spliced into answers: entries sorted by
/// key bytes, entries that grant nothing dropped, `read` before `write`:
/// `{"*":{"read":true},"U1":{"read":true,"write":true}}`. `{}` is nobody (rulings 12).
package struct ACL: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// `*`, a user's objectId, or `role:NAME`.
        package var key: Text
        package var mayRead: Bool
        package var mayWrite: Bool

        package init(key: Text, mayRead: Bool, mayWrite: Bool) {
            self.key = key
            self.mayRead = mayRead
            self.mayWrite = mayWrite
        }
    }

    /// The canonical JSON.
    package let json: [UInt8]

    /// Takes bytes that `init(_ entries:)` once made.
    package init(canonical json: [UInt8]) {
        self.json = json
    }
}

extension ACL {
    /// Creates the canonical list of `entries`; of two with one key the later counts.
    package init(_ entries: [Entry] = []) {
        self.init(canonical: Array("{}".utf8))
    }

    package static let everybody = ACL([Entry(key: "*", mayRead: true, mayWrite: true)])

    package func grantsRead(toAnyOf keys: [Text]) -> Bool { false }
    package func grantsWrite(toAnyOf keys: [Text]) -> Bool { false }
}
