import Synchronization
package import Telemetry

/// What the loops of a group count together; any thread.
package final class SharedCounts: Sendable {
    let open = Gauge()
    let accepted = Counter()
    let acceptPauses = Counter()
    /// What answers may hold of memory together: from the thread that makes a long one until a socket has
    /// taken it whole, or it is dropped.
    package let answers: ByteBudget
    /// What of it the loops' connections hold; the rest is being made.
    let heldAnswerBytes = Atomic(0)
    /// Open connections allowed, whatever the loop.
    package let connectionLimit: Int
    /// The loops that count here.
    let loopCount: Int

    init(connectionLimit: Int, loopCount: Int, answers: ByteBudget) {
        self.answers = answers
        self.connectionLimit = connectionLimit
        self.loopCount = loopCount
    }

    /// Open connections of all loops.
    package var openConnections: Int { open.value }
    /// Connections ever accepted.
    package var acceptedConnections: UInt64 { accepted.value }
    /// How often a loop has paused accepting for want of descriptors.
    package var acceptPauseCount: UInt64 { acceptPauses.value }
}
