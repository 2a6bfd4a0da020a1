import Telemetry

/// What the loops of a group count together; any thread.
package final class SharedCounts: Sendable {
    let open = Gauge()
    let accepted = Counter()
    let acceptPauses = Counter()
    let unsent = Gauge()
    /// Open connections allowed, whatever the loop.
    package let connectionLimit: Int
    /// The loops that count here.
    let loopCount: Int

    init(connectionLimit: Int, loopCount: Int) {
        self.connectionLimit = connectionLimit
        self.loopCount = loopCount
    }

    /// Open connections of all loops.
    package var openConnections: Int { open.value }
    /// Bytes that connections without a limit of their own have unsent.
    package var unsentBytes: Int { unsent.value }
    /// Connections ever accepted.
    package var acceptedConnections: UInt64 { accepted.value }
    /// How often a loop has paused accepting for want of descriptors.
    package var acceptPauseCount: UInt64 { acceptPauses.value }
}
