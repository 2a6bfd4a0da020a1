/// Why a WebSocket connection is failed: send a close frame with the code, then close.
package enum WebSocketFailure: Error, Sendable, Hashable, CaseIterable {
    /// A frame that RFC 6455 does not allow.
    case protocolError
    /// Text, or a close reason, that is not UTF-8.
    case invalidText
    /// A message past the limit.
    case messageTooLarge

    /// The status code of RFC 6455 7.4.1.
    package var closeCode: UInt16 {
        switch self {
        case .protocolError: 1002
        case .invalidText: 1007
        case .messageTooLarge: 1009
        }
    }
}
