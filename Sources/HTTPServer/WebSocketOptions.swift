package import EventLoops

/// The numbers of one WebSocket.
package struct WebSocketOptions: Sendable {
    /// Bytes of one message, fragments together; past it the socket closes with 1009.
    package var messageLimitBytes: Int
    /// What may wait to be written; past it the socket closes with 1013.
    package var outbox: OutboxLimits
    /// Stops reading while more bytes than this wait to be written; nil reads on.
    ///
    /// For a socket whose answers grow with what its own client sends, such as an echo.
    package var pausesReadingAtBytes: Int?
    /// The subprotocol to confirm, one that the client has offered.
    package var subprotocol: String?
    /// Whether permessage-deflate (RFC 7692) is agreed on with a client that offers it.
    package var allowsCompression: Bool

    package init(
        messageLimitBytes: Int = 1_048_576,
        outbox: OutboxLimits = .standard,
        pausesReadingAtBytes: Int? = nil,
        subprotocol: String? = nil,
        allowsCompression: Bool = false
    ) {
        self.messageLimitBytes = messageLimitBytes
        self.outbox = outbox
        self.pausesReadingAtBytes = pausesReadingAtBytes
        self.subprotocol = subprotocol
        self.allowsCompression = allowsCompression
    }
}
