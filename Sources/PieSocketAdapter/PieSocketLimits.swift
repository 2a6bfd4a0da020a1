package import EventLoops

/// The bounds of the relay's protocol.
package struct PieSocketLimits: Sendable {
    /// One message, over a socket or published (rulings 8).
    package var messageBytes: Int
    /// A channel's name after decoding.
    ///
    /// The vendor's page says 30 of `[A-Za-z0-9_-]`; class names have up to 64, and public clients
    /// put dots and ids into names.
    package var channelNameBytes: Int
    /// What may wait to be written to one member; past it the member is closed with 1013.
    package var outbox: OutboxLimits

    package init(
        messageBytes: Int = 1_048_576,
        channelNameBytes: Int = 128,
        outbox: OutboxLimits = .standard
    ) {
        self.messageBytes = messageBytes
        self.channelNameBytes = channelNameBytes
        self.outbox = outbox
    }
}
