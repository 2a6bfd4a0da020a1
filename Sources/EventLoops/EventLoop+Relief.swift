import Synchronization
import Telemetry

/// The bound over what answers hold of memory together, in all loops and before they come to one.
///
/// Counted are connections without a limit of their own on the outbox, whose memory nobody shares: answers
/// of HTTP. Messages for many are one memory in many outboxes, and these have limits.
extension EventLoop {
    /// Whether answers hold so much that those that are not taken are dropped.
    package var areAnswersPastMark: Bool {
        shared.answers.isPastMark
    }

    /// Notes what `connection` holds after a flush; drops those that cost most when it is too much in all.
    ///
    /// `reservation` is what was taken of the budget for what the connection holds now: it is handed over.
    /// Costs nothing where a socket takes all it is given.
    func noteHeld(_ connection: Connection, insteadOf reservation: ByteReservation? = nil) {
        let held = connection.outboxLimits == .unlimited ? connection.memoryBytes : 0
        let change = held - connection.heldBytes
        let reserved = reservation?.handOver() ?? 0
        guard change != 0 || reserved != 0 else { return }
        if connection.heldBytes == 0 { holders.insert(connection.slot) }
        if held == 0 { holders.remove(connection.slot) }
        connection.heldBytes = held
        heldBytes += change
        shared.heldAnswerBytes.wrappingAdd(change, ordering: .relaxed)
        shared.answers.note(change - reserved)
        // At once: what the turn takes next finds room. The other loops are asked by the budget.
        if change > 0, shared.answers.isPastMark { relieve() }
    }

    /// Notes that a connection holds nothing any more.
    func forgetHeld(_ connection: Connection) {
        guard connection.heldBytes > 0 else { return }
        holders.remove(connection.slot)
        heldBytes -= connection.heldBytes
        shared.heldAnswerBytes.wrappingSubtract(connection.heldBytes, ordering: .relaxed)
        shared.answers.note(-connection.heldBytes)
        connection.heldBytes = 0
    }

    /// Drops the connections that cost most, until this loop has an eighth less than its share.
    ///
    /// The share is of what the answers that are being made leave of the budget's mark, a quarter of it at
    /// least: below its limit, so that new answers are not refused for those that nobody takes. What costs
    /// is bytes times the time in which the peer has taken none: whoever reads, however slowly, goes after
    /// those who don't.
    func relieve() {
        shared.answers.relieved()
        guard shared.answers.isPastMark else { return }
        let mark = shared.answers.mark
        let made = shared.answers.bytes - shared.heldAnswerBytes.load(ordering: .relaxed)
        let share = max(mark - made, mark / 4) / shared.loopCount
        let goal = share - share / 8
        guard heldBytes > share else { return }
        let now = currentTick
        let stalled = ticks(limits.stalledWrite).ticks
        let byCost = holders.compactMap { slots[Int($0)] }
            .map { connection -> (cost: Double, connection: Connection) in
                // Since the last byte that went; the stall's tick is set so long after it.
                let age =
                    connection.stallTick == 0 ? 0 : now &+ stalled &+ 1 &- connection.stallTick
                return (Double(connection.heldBytes) * Double(1 + age), connection)
            }
            .sorted { $0.cost > $1.cost }
        let before = heldBytes
        var dropped = 0
        for (_, connection) in byCost where heldBytes > goal {
            // One alone may be as large as its own limit lets it.
            guard connection.heldBytes < shared.answers.bytes else { break }
            dropped += 1
            connection.reset()
        }
        guard dropped > 0 else { return }
        guard let heldBack = reliefGate.pass(index) else { return }
        log.warning(
            "dropped connections that do not read",
            [
                "loop": String(index), "count": String(dropped),
                "bytes": String(before - heldBytes), "heldBack": String(heldBack),
            ]
        )
    }
}
