import EventLoops

/// One channel: its order, who hears it on each loop, and who is a member by presence.
///
/// The next sequence number and the place in every loop's inbox are taken under one lock: that is
/// what makes the order the same everywhere, for messages and for the events of members alike. Locks
/// are taken in the order channel, then audience or inbox; the hub's is never held around them.
final class Channel: Sendable {
    struct State {
        var sequence: UInt64 = 0
        /// By loop; nil where nobody has joined.
        var audiences: [Audience?]
        var presence: Presence
        /// Whether a loop will tell what waits to be told.
        var isTellingDue = false
    }

    let key: ChannelKey
    let state: Guarded<State>

    init(key: ChannelKey, loops: Int, presenceBytesPerSecond: Int) {
        self.key = key
        self.state = Guarded(
            State(
                audiences: Array(repeating: nil, count: loops),
                presence: Presence(pace: PresencePace(bytesPerSecond: presenceBytesPerSecond))
            )
        )
    }

    /// Gives a connection a seat on its loop, as `member` if it has presence.
    ///
    /// A member is told first the list of all, in the channel's order where it is in it itself, and
    /// then of everybody who comes and goes. nil when there are `memberLimit` members.
    func admit(
        _ connection: Connection,
        windowBits: Int?,
        as member: Member?,
        memberLimit: Int,
        through inboxes: [LoopInbox]
    ) -> Membership? {
        let index = connection.loop.index
        return state.withLock { state in
            if let member, !state.presence.hasRoom(for: member.uuid, limit: memberLimit) {
                return nil
            }
            let audience = state.audiences[index] ?? Audience(on: connection.loop)
            state.audiences[index] = audience
            let seat = audience.join(connection, windowBits: windowBits, at: state.sequence)
            if let member {
                let newcomer = Presence.Newcomer(
                    audience: audience,
                    seat: seat,
                    connection: connection.id
                )
                if let list = state.presence.add(member, newcomer) {
                    Channel.welcome([newcomer], list, &state, through: inboxes)
                }
                tell(&state, on: connection.loop, through: inboxes)
            }
            return Membership(
                channel: self,
                audience: audience,
                seat: seat,
                connection: connection.id,
                member: member
            )
        }
    }

    /// Takes the seat back, and tells the others when the member is gone with it; returns false when
    /// this one had left before.
    func release(_ membership: Membership, through inboxes: [LoopInbox]) -> Bool {
        state.withLock { state in
            guard membership.audience.leave(membership.seat, membership.connection) else {
                return false
            }
            if let member = membership.member {
                state.presence.remove(member.uuid, membership.connection)
                let loop = inboxes[Int(membership.connection.loop)].loop
                tell(&state, on: loop, through: inboxes)
            }
            return true
        }
    }

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
                        reach: .everybody(except: except)
                    )
                )
            }
            return .queued
        }
    }

    /// Closes all who are members now, after what is already queued for them.
    func expel(through inboxes: [LoopInbox]) {
        state.withLock { state in
            for index in inboxes.indices { Channel.expel(index, &state, through: inboxes) }
        }
    }

    static func expel(_ index: Int, _ state: inout State, through inboxes: [LoopInbox]) {
        guard let audience = state.audiences[index] else { return }
        // Whoever joins from here on sits elsewhere, so that one expulsion is enough.
        state.audiences[index] = nil
        inboxes[index].put(LoopInbox.Delivery(audience: audience, sequence: state.sequence))
    }
}
