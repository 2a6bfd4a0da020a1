import EventLoops

/// A seat in a channel; the hub made it and takes it back.
package struct Membership: Sendable {
    let channel: Channel
    let audience: Audience
    let seat: Int
    let connection: ConnectionID
    /// nil: a socket without presence, which counts for nobody (rulings 20).
    let member: Member?

    package var key: ChannelKey { channel.key }
}
