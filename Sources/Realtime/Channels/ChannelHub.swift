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
        var scopes: [Text: ChannelScope] = [:]
        var total = Counts()
        /// How many have joined, or have tried to.
        var joins: UInt64 = 0

        /// Changes the scope of a relay key, and the total by as much; one without members goes.
        mutating func change<Answer>(_ name: Text, _ body: (inout ChannelScope) -> Answer) -> Answer
        {
            let before = scopes[name]?.counts ?? Counts()
            let answer = body(&scopes[name, default: ChannelScope()])
            let after = scopes[name]?.counts ?? Counts()
            total.channels += after.channels - before.channels
            total.members += after.members - before.members
            if after.members == 0 { scopes[name] = nil }
            return answer
        }
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

    /// Makes the connection a member; on its loop only, before anything of the channel may reach it.
    ///
    /// Everything that is published after this returned reaches it, compressed if its socket has agreed
    /// on that. As a `member` it is told who is there, and from then on of everybody who comes and goes.
    /// It leaves by `leave`.
    package func join(
        _ key: ChannelKey,
        _ connection: Connection,
        as member: Member? = nil,
        within quota: ScopeQuota = ScopeQuota(),
        compression: PerMessageDeflate? = nil
    ) throws(ChannelRefusal) -> Membership {
        let reserved = registry.withLock { registry in
            registry.joins += 1
            let join = registry.joins
            return registry.change(key.scope) { scope in
                scope.reserve(key.name, at: join, limits, quota) {
                    Channel(
                        key: key,
                        loops: inboxes.count,
                        presenceBytesPerSecond: limits.presenceBytesPerSecond
                    )
                }
            }
        }
        let channel = try reserved.get()
        guard
            let membership = channel.admit(
                connection,
                windowBits: compression?.serverWindowBits,
                as: member,
                memberLimit: limits.presencePerChannel,
                through: inboxes
            )
        else {
            giveBack(key)
            throw .tooManyPresent
        }
        return membership
    }

    /// Ends a membership; on the connection's loop only.
    ///
    /// The second time it does nothing.
    package func leave(_ membership: Membership) {
        guard membership.channel.release(membership, through: inboxes) else { return }
        giveBack(membership.key)
    }

    private func giveBack(_ key: ChannelKey) {
        registry.withLock { $0.change(key.scope) { $0.giveBack(key.name) } }
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
        registry.withLock { $0.scopes[scope]?.counts ?? Counts() }
    }

    /// Begins a walk over the channels of a relay key.
    package func listing(of scope: Text) -> ChannelListing {
        ChannelListing(scope: scope, join: registry.withLock { $0.joins })
    }

    /// Returns the next channels of a walk with their members, in no order; nil when it is over.
    ///
    /// The cost has a bound, however many there are.
    package func next(of listing: inout ChannelListing) -> [(name: Text, members: Int)]? {
        registry.withLock { $0.scopes[listing.scope]?.next(of: &listing) }
    }

    private func channel(_ key: ChannelKey) -> Channel? {
        registry.withLock { $0.scopes[key.scope]?.channel(key.name) }
    }
}
