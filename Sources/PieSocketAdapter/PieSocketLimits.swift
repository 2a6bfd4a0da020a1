package import Backend
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
    /// A member's uuid as it is sent, its escapes included; the SDKs' have 36.
    package var uuidBytes: Int
    /// A member's user name as it is sent: everybody in the channel gets it, often.
    ///
    /// The name in a token of the auth endpoint is cut to it.
    package var userNameBytes: Int
    /// The body of a request for a token: a form of one short field.
    package var authBodyBytes: Int
    /// How long a token of the auth endpoint opens its channel; a socket that is open stays.
    package var tokenLifetimeSeconds: Int
    /// Connections of one address refused for key or token, after which it is not looked at (rulings
    /// 21); as many requests with a wrong secret, counted apart.
    package var storm: FailureCounter<String>.Limits
    /// What may wait to be written to one member; past it the member is closed with 1013.
    package var outbox: OutboxLimits
    /// Whether messages are compressed for clients that offer it (rulings 18).
    package var allowsCompression: Bool

    /// The body of a publication; a longer one is refused before it is parsed.
    ///
    /// Four times the message, because encoders that write everything outside ASCII as `\uXXXX` make up
    /// to three bytes of one, and room for key, secret and channel.
    package var publicationBytes: Int {
        let fourfold = messageBytes.multipliedReportingOverflow(by: 4)
        let sum = fourfold.partialValue.addingReportingOverflow(65_536)
        return fourfold.overflow || sum.overflow ? .max : sum.partialValue
    }

    package init(
        messageBytes: Int = 1_048_576,
        channelNameBytes: Int = 128,
        uuidBytes: Int = 128,
        userNameBytes: Int = 512,
        authBodyBytes: Int = 65_536,
        tokenLifetimeSeconds: Int = 3_600,
        storm: FailureCounter<String>.Limits = .init(failures: 20, windowSeconds: 10, keys: 10_000),
        outbox: OutboxLimits = .standard,
        allowsCompression: Bool = false
    ) {
        self.messageBytes = messageBytes
        self.channelNameBytes = channelNameBytes
        self.uuidBytes = uuidBytes
        self.userNameBytes = userNameBytes
        self.authBodyBytes = authBodyBytes
        self.tokenLifetimeSeconds = tokenLifetimeSeconds
        self.storm = storm
        self.outbox = outbox
        self.allowsCompression = allowsCompression
    }
}
