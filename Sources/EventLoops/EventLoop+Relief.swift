import Telemetry

/// The bound over what all connections together have unsent.
///
/// Counted are those without a limit of their own on the outbox, whose memory nobody shares: answers
/// of HTTP. Messages for many are one memory in many outboxes, and these have limits.
extension EventLoop {
    /// Notes what `connection` has unsent after a flush; asks for relief when it is too much in all.
    ///
    /// Costs nothing where a socket takes all it is given.
    func noteUnsent(_ connection: Connection) {
        let held = connection.outboxLimits == .unlimited ? connection.queued : 0
        let change = held - connection.heldBytes
        guard change != 0 else { return }
        if connection.heldBytes == 0 { holders.insert(connection.slot) }
        if held == 0 { holders.remove(connection.slot) }
        connection.heldBytes = held
        heldBytes += change
        let total = shared.unsent.change(by: change)
        guard change > 0, total > limits.unsentBytes, !hasAskedForRelief else { return }
        hasAskedForRelief = true
        askForRelief?()
    }

    /// Notes that a connection that ends has nothing unsent any more.
    func forgetUnsent(_ connection: Connection) {
        guard connection.heldBytes > 0 else { return }
        holders.remove(connection.slot)
        heldBytes -= connection.heldBytes
        _ = shared.unsent.change(by: -connection.heldBytes)
        connection.heldBytes = 0
    }

    /// Drops the connections that cost most, until this loop has an eighth less than its share.
    ///
    /// Every loop is asked at once: when all together are past the limit, one of them is past its
    /// share. What costs is bytes times the time in which the peer has taken none: whoever reads,
    /// however slowly, goes after those who don't.
    func relieve() {
        hasAskedForRelief = false
        guard shared.unsent.value > limits.unsentBytes else { return }
        let share = limits.unsentBytes / shared.loopCount
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
        var left = heldBytes
        var dropped = 0
        for (_, connection) in byCost where left > goal {
            left -= connection.heldBytes
            dropped += 1
            connection.reset()
        }
        guard let heldBack = reliefGate.pass(index) else { return }
        log.warning(
            "dropped connections that do not read",
            [
                "loop": String(index), "count": String(dropped),
                "bytes": String(heldBytes - left), "heldBack": String(heldBack),
            ]
        )
    }
}
