/// The bounds of a `ChannelHub`.
package struct ChannelLimits: Sendable, Hashable {
    /// Channels with at least one member, for each relay key.
    package var channelsPerScope: Int
    /// Members of one channel, over all loops.
    package var membersPerChannel: Int
    /// Members by presence of one channel: each event carries them all, to each of them.
    package var presencePerChannel: Int
    /// Bytes of events of comings and goings that one member of a channel gets in a second.
    package var presenceBytesPerSecond: Int
    /// Messages that wait for one loop to hand them out.
    package var waitingMessagesPerLoop: Int
    /// Bytes of those messages; one message of any size is taken when none waits.
    package var waitingBytesPerLoop: Int

    package init(
        channelsPerScope: Int = 65_536,
        membersPerChannel: Int = 65_536,
        presencePerChannel: Int = 250,
        presenceBytesPerSecond: Int = 262_144,
        waitingMessagesPerLoop: Int = 65_536,
        waitingBytesPerLoop: Int = 67_108_864
    ) {
        self.channelsPerScope = channelsPerScope
        self.membersPerChannel = membersPerChannel
        self.presencePerChannel = presencePerChannel
        self.presenceBytesPerSecond = presenceBytesPerSecond
        self.waitingMessagesPerLoop = waitingMessagesPerLoop
        self.waitingBytesPerLoop = waitingBytesPerLoop
    }
}

/// What the owner of a relay key has set for it; nil: no limit but the hub's.
package struct ScopeQuota: Sendable, Hashable {
    /// Channels with at least one member.
    package var channels: Int?
    /// Members of all its channels together.
    package var members: Int?

    package init(channels: Int? = nil, members: Int? = nil) {
        self.channels = channels
        self.members = members
    }
}

/// Why nobody more can join.
package enum ChannelRefusal: Error, Sendable, Equatable {
    /// The relay key has as many channels as it may.
    case tooManyChannels
    /// The channel has as many members as it may.
    case tooManyMembers
    /// The relay key has as many members as it may.
    case tooManyConnections
    /// The channel has as many members by presence as it may.
    case tooManyPresent
}

/// What became of a message.
package enum Publication: Sendable, Equatable {
    /// It has its place in the channel's order, and every loop with a member will deliver it.
    case queued
    /// The channel has no member.
    case unheard
    /// A loop with members is too far behind: nobody gets it.
    case refused
}
