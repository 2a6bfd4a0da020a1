import Telemetry

/// What the loops of a group count together; any thread.
package final class SharedCounts: Sendable {
    let open = Gauge()
    let accepted = Counter()
    let acceptPauses = Counter()
    /// Open connections allowed, whatever the loop.
    package let connectionLimit: Int

    init(connectionLimit: Int) {
        self.connectionLimit = connectionLimit
    }

    /// Open connections of all loops.
    package var openConnections: Int { open.value }
    /// Connections ever accepted.
    package var acceptedConnections: UInt64 { accepted.value }
    /// How often a loop has paused accepting for want of descriptors.
    package var acceptPauseCount: UInt64 { acceptPauses.value }
}
