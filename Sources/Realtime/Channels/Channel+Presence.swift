import EventLoops

extension Channel {
    /// Puts who has come and gone into the channel's order, as far as the pace allows, and has `loop`,
    /// the calling thread's, tell the rest when it is time.
    func tell(_ state: inout State, on loop: EventLoop, through inboxes: [LoopInbox]) {
        let now = loop.now.monotonicNanoseconds
        while let next = state.presence.next(at: now) {
            if let event = next.event { Channel.announce(event, &state, through: inboxes) }
            Channel.welcome(next.newcomers, next.list, &state, through: inboxes)
        }
        guard !state.isTellingDue, let wait = state.presence.wait(at: now) else { return }
        state.isTellingDue = true
        loop.after(.nanoseconds(wait)) {
            self.state.withLock { state in
                state.isTellingDue = false
                self.tell(&state, on: loop, through: inboxes)
            }
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

    /// Gives the list to those who begin with it.
    ///
    /// Whether or not there is room: as many come in a turn of a loop as it accepts connections.
    static func welcome(
        _ newcomers: [Presence.Newcomer],
        _ list: [UInt8],
        _ state: inout State,
        through inboxes: [LoopInbox]
    ) {
        guard !newcomers.isEmpty else { return }
        let message = MessageFrame.text(list)
        for newcomer in newcomers {
            inboxes[Int(newcomer.connection.loop)].put(
                LoopInbox.Delivery(
                    audience: newcomer.audience,
                    message: message,
                    sequence: state.sequence,
                    reach: .newcomer(seat: newcomer.seat, newcomer.connection)
                )
            )
        }
    }
}
