package import HatoWire

/// An application: the keys that open it and what its operator has set.
package struct Application: Sendable, Hashable {
    /// The store's own id: sixteen characters, names the folder `data/apps/<id>`.
    package var id: Text
    /// Unique; what the command line calls it.
    package var name: Text
    /// Public; 1…128 characters of `[0-9A-Za-z_-]`, as `X-NCMB-Application-Key`.
    package var applicationKey: Text
    /// Secret; signs requests.
    package var clientKey: Text
    /// Public; `api_key` of the relay, unique over all applications.
    package var relayKey: Text
    /// Secret; publishes over REST and signs relay tokens.
    package var relaySecret: Text
    package var settings: ApplicationSettings

    package init(
        id: Text,
        name: Text,
        applicationKey: Text,
        clientKey: Text,
        relayKey: Text,
        relaySecret: Text,
        settings: ApplicationSettings = ApplicationSettings()
    ) {
        self.id = id
        self.name = name
        self.applicationKey = applicationKey
        self.clientKey = clientKey
        self.relayKey = relayKey
        self.relaySecret = relaySecret
        self.settings = settings
    }
}

/// What `hato app set` can change; the defaults are the rulings'.
package struct ApplicationSettings: Sendable, Hashable {
    /// Whether a request without a signature is refused (rulings 2).
    package var requiresSignature: Bool
    /// How far a request's timestamp may be from now; nil: not asked (rulings 1).
    package var timestampWindowSeconds: Int?
    /// Whether an unreadable object answers 404 instead of 403 (rulings 5).
    package var hidesUnreadable: Bool
    /// Whether anonymous sign-in is on (rulings 13).
    package var allowsAnonymous: Bool
    /// Lifetime of a session from its login (rulings 25).
    package var sessionLifetimeSeconds: Int
    /// Whether the server makes indexes by itself, for lists that keep wanting them.
    package var makesIndexes: Bool
    /// Whether the page at `/` is this application's chat and shows its two public keys.
    package var isDemo: Bool
    package var relay: RelaySettings

    package init(
        requiresSignature: Bool = false,
        timestampWindowSeconds: Int? = nil,
        hidesUnreadable: Bool = false,
        allowsAnonymous: Bool = true,
        sessionLifetimeSeconds: Int = 86_400,
        makesIndexes: Bool = true,
        isDemo: Bool = false,
        relay: RelaySettings = RelaySettings()
    ) {
        self.requiresSignature = requiresSignature
        self.timestampWindowSeconds = timestampWindowSeconds
        self.hidesUnreadable = hidesUnreadable
        self.allowsAnonymous = allowsAnonymous
        self.sessionLifetimeSeconds = sessionLifetimeSeconds
        self.makesIndexes = makesIndexes
        self.isDemo = isDemo
        self.relay = relay
    }
}

/// What an application's relay key may do; without limits unless they are set (rulings 21).
package struct RelaySettings: Sendable, Hashable {
    /// Whether every channel asks for a token, not only those called `private-…`.
    package var guardsAllChannels: Bool
    /// Sockets open at a time.
    package var connectionLimit: Int?
    /// Channels in use at a time; the server's own limit holds besides.
    package var channelLimit: Int?
    /// Messages a second, of sockets and published ones together.
    package var messagesPerSecond: Int?

    package init(
        guardsAllChannels: Bool = false,
        connectionLimit: Int? = nil,
        channelLimit: Int? = nil,
        messagesPerSecond: Int? = nil
    ) {
        self.guardsAllChannels = guardsAllChannels
        self.connectionLimit = connectionLimit
        self.channelLimit = channelLimit
        self.messagesPerSecond = messagesPerSecond
    }
}
