/// What may stand between the socket and the handler: TLS by memory BIOs, for one.
///
/// The connection feeds it what the socket gave and what the handler sends; nothing above the
/// connection knows whether there is one. Loop only.
package protocol ByteTransform: AnyObject {
    /// Takes bytes from the socket. Appends what the handler shall see to `plain`, and what the peer
    /// must get without the handler's doing (a handshake, an alert) to `wire`.
    ///
    /// Returns false when the stream is broken: the connection writes `wire` and closes.
    func decode(_ bytes: Span<UInt8>, plain: inout [UInt8], wire: inout [UInt8]) -> Bool
    /// Takes bytes that the handler sends and appends what goes to the socket to `wire`.
    func encode(_ bytes: Span<UInt8>, wire: inout [UInt8])
    /// Appends what ends the stream in good order (TLS close_notify).
    func finish(wire: inout [UInt8])
}
