import EventLoops

/// One channel: its order, and who hears it on each loop.
///
/// The next sequence number and the place in every loop's inbox are taken under one lock: that is
/// what makes the order the same everywhere. Locks are taken in the order hub, channel, then
/// audience or inbox.
final class Channel: Sendable {
    private struct State {
        var sequence: UInt64 = 0
        var members = 0
        /// By loop; nil where nobody has joined.
        var audiences: [Audience?]
    }

    let key: ChannelKey
    private let state: Guarded<State>

    init(key: ChannelKey, loops: Int) {
        self.key = key
        self.state = Guarded(State(audiences: Array(repeating: nil, count: loops)))
    }

    /// Gives a connection a seat on its loop; nil when there are `limit` members.
    func admit(_ connection: Connection, windowBits: Int?, limit: Int) -> Membership? {
        let index = connection.loop.index
        return state.withLock { state in
            guard state.members < limit else { return nil }
            let audience = state.audiences[index] ?? Audience(on: connection.loop)
            state.audiences[index] = audience
            state.members += 1
            return Membership(
                channel: self,
                audience: audience,
                seat: audience.join(connection, windowBits: windowBits, at: state.sequence),
                connection: connection.id
            )
        }
    }

    /// Returns how many members are left; nil when this one had left before.
    func release(_ membership: Membership) -> Int? {
        state.withLock { state in
            guard membership.audience.leave(membership.seat, membership.connection) else {
                return nil
            }
            state.members -= 1
            return state.members
        }
    }

    var memberCount: Int { state.withLock { $0.members } }

    func publish(
        _ message: MessageFrame,
        except: ConnectionID?,
        through inboxes: [LoopInbox]
    ) -> Publication {
        state.withLock { state in
            var hasAudience = false
            for index in inboxes.indices where state.audiences[index] != nil {
                guard inboxes[index].hasRoom(for: message) else { return .refused }
                hasAudience = true
            }
            guard hasAudience else { return .unheard }
            state.sequence += 1
            for index in inboxes.indices {
                guard let audience = state.audiences[index] else { continue }
                inboxes[index].put(
                    LoopInbox.Delivery(
                        audience: audience,
                        message: message,
                        sequence: state.sequence,
                        except: except
                    )
                )
            }
            return .queued
        }
    }

    /// Closes all who are members now, after what is already queued for them.
    func expel(through inboxes: [LoopInbox]) {
        state.withLock { state in
            for index in inboxes.indices {
                guard let audience = state.audiences[index] else { continue }
                // Whoever joins from here on sits elsewhere, so that one expulsion is enough.
                state.audiences[index] = nil
                inboxes[index].put(
                    LoopInbox.Delivery(audience: audience, sequence: state.sequence)
                )
            }
        }
    }
}
