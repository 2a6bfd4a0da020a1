package import HatoWire

/// Who a socket with presence is, as the others of its channel see it.
///
/// Sockets with the same uuid are one member (rulings 20).
package struct Member: Sendable, Hashable {
    package let uuid: Text
    package let user: Text

    package init(uuid: Text, user: Text) {
        self.uuid = uuid
        self.user = user
    }
}
