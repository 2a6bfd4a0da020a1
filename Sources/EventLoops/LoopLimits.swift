/// The numbers that bound the loops of a group.
package struct LoopLimits: Sendable {
    /// The memory that a loop reads into, shared by all its connections.
    package var readBufferBytes = 65_536
    /// The memory that a turn's small answers are gathered in, shared by all connections.
    package var arenaBytes = 262_144
    /// Open connections of all loops together; past it accepting pauses as at EMFILE.
    package var connectionLimit = 1_048_576
    /// Descriptors kept for files and outgoing calls: the connection limit is also the process's
    /// descriptor limit less these.
    package var reservedDescriptors = 64
    /// Connections accepted per listener and turn, so that a storm of them starves nobody.
    package var acceptBatch = 64
    /// The kernel's queue of connections that wait to be accepted.
    package var backlog: Int32 = 4_096
    /// How long accepting stays paused when no descriptor of this loop is freed.
    package var acceptPause: Duration = .milliseconds(250)
    /// The coarse timer's step: a deadline is late by no more than this, and never early.
    package var tick: Duration = .milliseconds(100)
    /// A connection whose peer takes nothing for so long is dropped.
    package var stalledWrite: Duration = .seconds(30)
    /// How long a closed connection still reads and discards, so that its last answer is not
    /// destroyed by a reset (RFC 9112 9.6).
    package var linger: Duration = .seconds(2)
    /// The same while the group stops.
    package var lingerWhenStopping: Duration = .milliseconds(200)
    /// What every new connection's outbox may hold.
    package var outbox: OutboxLimits = .standard

    /// What all connections whose outbox has no limit may have unsent together; past it those that
    /// take least are dropped.
    package var unsentBytes = 268_435_456

    package init() {}
}
