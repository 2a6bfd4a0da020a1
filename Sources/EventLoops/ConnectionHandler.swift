/// What stands on a connection: a protocol's state machine.
///
/// Called on the connection's loop only.
///
/// A call may use the connection freely, also close it; `closed` never comes from within another
/// call of the same handler.
package protocol ConnectionHandler: AnyObject {
    /// Bytes came; they are valid during the call only, so the handler keeps what it can't use yet.
    func received(_ bytes: Span<UInt8>, on connection: Connection)
    /// The peer sends no more (FIN) but still reads: what it asked for is answered.
    func peerFinished(on connection: Connection)
    /// The connection is gone: the last call, exactly once.
    func closed(on connection: Connection)
    /// The time set by `Connection.setDeadline` has come.
    func deadlineReached(on connection: Connection)
    /// The outbox became empty after `Connection.notifyWhenDrained()`.
    func drained(on connection: Connection)
    /// A frame was refused because of the outbox limits.
    func overflowed(on connection: Connection)
    /// The server stops: finish what is in flight and close.
    func stopping(on connection: Connection)
}

extension ConnectionHandler {
    package func peerFinished(on connection: Connection) {
        connection.close()
    }

    package func closed(on connection: Connection) {}

    package func deadlineReached(on connection: Connection) {
        connection.abort()
    }

    package func drained(on connection: Connection) {}

    package func overflowed(on connection: Connection) {
        connection.abort()
    }

    package func stopping(on connection: Connection) {
        connection.close()
    }
}
