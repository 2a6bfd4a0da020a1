package import EventLoops
package import HatoWire

/// All channels: who is in which, and the way of a message to all of them.
///
/// A channel has one order, the same for every member on every loop, whoever publishes from
/// whatever thread. It exists while it has a member.
package final class ChannelHub: Sendable {
    /// Numbers of one relay key, or of all.
    package struct Counts: Sendable, Hashable {
        package var channels: Int
        package var members: Int

        package init(channels: Int = 0, members: Int = 0) {
            self.channels = channels
            self.members = members
        }
    }

    private struct Registry {
        var channels: [ChannelKey: Channel] = [:]
        var scopes: [Text: Counts] = [:]
        var total = Counts()
    }

    package let limits: ChannelLimits
    private let inboxes: [LoopInbox]
    private let registry = Guarded(Registry())

    /// Creates a hub over `loops`, whose indices count from 0 in this order.
    package init(loops: [EventLoop], limits: ChannelLimits = ChannelLimits()) {
        self.limits = limits
        self.inboxes = loops.map { LoopInbox(loop: $0, limits: limits) }
    }

    // MARK: Members

    /// Makes the connection a member; on its loop only, before its handshake is answered.
    ///
    /// Everything that is published after this returned reaches it, compressed if its socket has agreed on
    /// that. It leaves by `leave`.
    package func join(
        _ key: ChannelKey,
        _ connection: Connection,
        compression: PerMessageDeflate? = nil
    ) throws(ChannelRefusal) -> Membership {
        let joined = registry.withLock { registry -> Result<Membership, ChannelRefusal> in
            let known = registry.channels[key]
            var counts = registry.scopes[key.scope] ?? Counts()
            if known == nil, counts.channels >= limits.channelsPerScope {
                return .failure(.tooManyChannels)
            }
            let channel = known ?? Channel(key: key, loops: inboxes.count)
            let membership = channel.admit(
                connection,
                windowBits: compression?.serverWindowBits,
                limit: limits.membersPerChannel
            )
            guard let membership else { return .failure(.tooManyMembers) }
            if known == nil {
                registry.channels[key] = channel
                registry.total.channels += 1
                counts.channels += 1
            }
            registry.total.members += 1
            counts.members += 1
            registry.scopes[key.scope] = counts
            return .success(membership)
        }
        return try joined.get()
    }

    /// Ends a membership; on the connection's loop only.
    ///
    /// The second time it does nothing.
    package func leave(_ membership: Membership) {
        registry.withLock { registry in
            guard let left = membership.channel.release(membership) else { return }
            let key = membership.key
            var counts = registry.scopes[key.scope] ?? Counts()
            counts.members -= 1
            registry.total.members -= 1
            if left == 0 {
                registry.channels[key] = nil
                counts.channels -= 1
                registry.total.channels -= 1
            }
            registry.scopes[key.scope] = counts.channels == 0 ? nil : counts
        }
    }

    // MARK: Messages

    /// Publishes to everybody in the channel but `except`; any thread.
    @discardableResult
    package func publish(
        _ message: MessageFrame,
        to key: ChannelKey,
        except: ConnectionID? = nil
    ) -> Publication {
        guard let channel = channel(key) else { return .unheard }
        return channel.publish(message, except: except, through: inboxes)
    }

    /// Publishes as a member of the channel: the same without looking the channel up.
    @discardableResult
    package func publish(
        _ message: MessageFrame,
        from membership: Membership,
        includingSender: Bool
    ) -> Publication {
        membership.channel.publish(
            message,
            except: includingSender ? nil : membership.connection,
            through: inboxes
        )
    }

    /// Closes everybody who is in the channel now, because a message for them could not be queued:
    /// who misses something must be able to notice it.
    package func expel(_ key: ChannelKey) {
        channel(key)?.expel(through: inboxes)
    }

    // MARK: Numbers

    /// Whether anybody would hear a message; false saves making it.
    package func isHeard(_ key: ChannelKey) -> Bool {
        channel(key) != nil
    }

    package var counts: Counts { registry.withLock { $0.total } }

    package func counts(of scope: Text) -> Counts {
        registry.withLock { $0.scopes[scope] ?? Counts() }
    }

    /// Returns the channels of a relay key with their members, by name; O(all channels).
    package func channels(of scope: Text) -> [(name: Text, members: Int)] {
        let channels = registry.withLock { registry in
            registry.channels.values.filter { $0.key.scope == scope }
        }
        return channels.map { (name: $0.key.name, members: $0.memberCount) }
            .sorted { $0.name < $1.name }
    }

    private func channel(_ key: ChannelKey) -> Channel? {
        registry.withLock { $0.channels[key] }
    }
}
