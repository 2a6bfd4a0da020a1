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

    /// What all answers may hold of memory together, those that are being made too; past three quarters of
    /// it the connections that take least are dropped.
    package var unsentBytes = 167_772_160
    /// An answer's body from here on is offered to its socket when it is queued, not at the end of the
    /// turn, and counts from then on.
    package var promptBodyBytes = 262_144
    /// Of answers that come without a copy a loop takes so much in a turn from what its sockets ask, and as
    /// much from what is queued; the rest waits for the next.
    package var answerBytesPerTurn = 4_194_304
    /// What one connection is offered at a time, so that no reader holds the loop: once when a large answer
    /// is queued, and at the turn's end.
    package var flushBytes = 262_144
    /// A frame of more bytes is transformed piece by piece of so many, as its socket takes them.
    package var pieceBytes = 65_536

    package init() {}
}
