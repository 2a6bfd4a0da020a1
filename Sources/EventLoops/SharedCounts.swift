package import Telemetry

/// What the loops of a group count together; any thread.
package final class SharedCounts: Sendable {
    /// Open connections of all loops.
    package let open = Gauge()
    /// Connections ever accepted.
    package let accepted = Counter()
    /// How often accepting was paused for want of descriptors.
    package let acceptPauses = Counter()
    /// Open connections allowed, whatever the loop.
    package let connectionLimit: Int

    init(connectionLimit: Int) {
        self.connectionLimit = connectionLimit
    }
}
