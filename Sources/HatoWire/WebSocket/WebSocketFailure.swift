/// Why a WebSocket connection is failed: send a close frame with the code, then close.
package enum WebSocketFailure: Error, Sendable, Hashable, CaseIterable {
    /// A frame that RFC 6455 does not allow.
    case protocolError
    /// Text, or a close reason, that is not UTF-8.
    case invalidText
    /// Compressed data that is none.
    ///
    /// RFC 7692 names no code. The frame was in order, the data in it is not what it says it is: that is
    /// what 1007 says.
    case damagedCompression
    /// A message past the limit.
    case messageTooLarge
    /// The server has no memory to read the message.
    case internalError

    /// The status code of RFC 6455 7.4.1.
    package var closeCode: UInt16 {
        switch self {
        case .protocolError: 1002
        case .invalidText, .damagedCompression: 1007
        case .messageTooLarge: 1009
        case .internalError: 1011
        }
    }
}
