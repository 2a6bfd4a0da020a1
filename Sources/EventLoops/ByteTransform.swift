/// What may stand between the socket and the handler: TLS by OpenSSL, for one.
///
/// The connection feeds it what the socket gave and what the handler sends; nothing above the
/// connection knows how it works. Loop only.
package protocol ByteTransform: AnyObject {
    /// Whether nobody between the two ends can read or change the bytes.
    var isSecure: Bool { get }
    /// The most bytes that `count` bytes of the handler become on the wire.
    func wireCount(of count: Int) -> Int
    /// Takes bytes from the socket. Appends what the handler shall see to `plain`, and what the peer
    /// must get without the handler's doing (a handshake, an alert) to `wire`.
    func decode(
        _ bytes: Span<UInt8>,
        plain: inout [UInt8],
        wire: inout [UInt8]
    ) -> ByteTransformState
    /// Takes bytes that the handler sends and appends what goes to the socket to `wire`.
    ///
    /// Returns false when the stream is broken: the connection is aborted.
    func encode(_ bytes: Span<UInt8>, wire: inout [UInt8]) -> Bool
    /// Appends what ends the stream in good order (TLS close_notify).
    func finish(wire: inout [UInt8])
}

/// How a transformed stream stands after bytes from the socket.
package enum ByteTransformState: Sendable {
    case open
    /// The peer has said that it sends no more, as a FIN does; what it asked for is answered.
    case finished
    /// Nothing more can be read: the connection writes what is on the wire and closes.
    case broken
}
