import EventLoops

/// One channel: its order, who hears it on each loop, and who is a member by presence.
///
/// The next sequence number and the place in every loop's inbox are taken under one lock: that is
/// what makes the order the same everywhere, for messages and for the events of members alike. Locks
/// are taken in the order channel, then audience or inbox; the hub's is never held around them.
final class Channel: Sendable {
    private struct State {
        var sequence: UInt64 = 0
        /// By loop; nil where nobody has joined.
        var audiences: [Audience?]
        var roster = Roster()
    }

    let key: ChannelKey
    private let state: Guarded<State>

    init(key: ChannelKey, loops: Int) {
        self.key = key
        self.state = Guarded(State(audiences: Array(repeating: nil, count: loops)))
    }

    /// Gives a connection a seat on its loop, as `member` if it has presence.
    ///
    /// Also returns what a member is told first: the list that holds everybody up to and with itself.
    /// What comes later in the channel's order is delivered in later steps of its loop, hence after
    /// it. nil when there are `memberLimit` members.
    func admit(
        _ connection: Connection,
        windowBits: Int?,
        as member: Member?,
        memberLimit: Int,
        through inboxes: [LoopInbox]
    ) -> (membership: Membership, list: MessageFrame?)? {
        let index = connection.loop.index
        return state.withLock { state in
            var list: MessageFrame?
            if let member {
                switch state.roster.add(member, limit: memberLimit) {
                case .full: return nil
                case .known: break
                case .joined: Channel.announce(state.roster.joined(), &state, through: inboxes)
                }
                list = MessageFrame.text(state.roster.list())
            }
            let audience = state.audiences[index] ?? Audience(on: connection.loop)
            state.audiences[index] = audience
            let membership = Membership(
                channel: self,
                audience: audience,
                seat: audience.join(
                    connection,
                    windowBits: windowBits,
                    at: state.sequence,
                    hasPresence: member != nil
                ),
                connection: connection.id,
                member: member
            )
            return (membership, list)
        }
    }

    /// Takes the seat back, and tells the others when the member is gone with it; returns false when
    /// this one had left before.
    func release(_ membership: Membership, through inboxes: [LoopInbox]) -> Bool {
        state.withLock { state in
            guard membership.audience.leave(membership.seat, membership.connection) else {
                return false
            }
            if let uuid = membership.member?.uuid, let json = state.roster.remove(uuid),
                state.roster.count > 0
            {
                Channel.announce(state.roster.left(json), &state, through: inboxes)
            }
            return true
        }
    }

    /// How many members there are by presence.
    var presenceCount: Int { state.withLock { $0.roster.count } }

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

    /// Puts an event of members into the channel's order.
    ///
    /// It can't be refused: somebody has come or gone. A loop that is too far behind to take it loses
    /// its audience instead, so that nobody goes on with a wrong list.
    private static func announce(
        _ event: [UInt8],
        _ state: inout State,
        through inboxes: [LoopInbox]
    ) {
        let message = MessageFrame.text(event)
        state.sequence += 1
        for index in inboxes.indices {
            guard let audience = state.audiences[index] else { continue }
            guard inboxes[index].hasRoom(for: message) else {
                expel(index, &state, through: inboxes)
                continue
            }
            inboxes[index].put(
                LoopInbox.Delivery(
                    audience: audience,
                    message: message,
                    sequence: state.sequence,
                    reach: .presence
                )
            )
        }
    }

    /// Closes all who are members now, after what is already queued for them.
    func expel(through inboxes: [LoopInbox]) {
        state.withLock { state in
            for index in inboxes.indices { Channel.expel(index, &state, through: inboxes) }
        }
    }

    private static func expel(_ index: Int, _ state: inout State, through inboxes: [LoopInbox]) {
        guard let audience = state.audiences[index] else { return }
        // Whoever joins from here on sits elsewhere, so that one expulsion is enough.
        state.audiences[index] = nil
        inboxes[index].put(LoopInbox.Delivery(audience: audience, sequence: state.sequence))
    }
}
