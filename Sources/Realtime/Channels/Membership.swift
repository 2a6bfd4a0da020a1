import EventLoops

/// A seat in a channel; the hub made it and takes it back.
package struct Membership: Sendable {
    let channel: Channel
    let audience: Audience
    let seat: Int
    let connection: ConnectionID

    package var key: ChannelKey { channel.key }
}
