import CLinux
import Glibc

/// One accepted connection: bytes in, frames out, deadlines, an orderly or abrupt end.
///
/// `@unchecked Sendable`: every mutable property and every method is used on the connection's loop
/// only; other threads hold it just to hand it back (`loop.execute`). `id`, `loop`, `peer` are
/// constants.
///
/// An idle one owns no buffer: bytes are read into the loop's memory, and what can't be written at
/// once goes into an `Outbox` that the loop takes back when it is empty.
package final class Connection: @unchecked Sendable {
    struct Flags: OptionSet {
        let rawValue: UInt16
        /// Waits for the flush at the end of the turn.
        static let dirty = Flags(rawValue: 1)
        static let readingPaused = Flags(rawValue: 2)
        /// The peer's FIN was read.
        static let peerFinished = Flags(rawValue: 4)
        /// The socket took less than it was given: EPOLLOUT is wanted.
        static let writeBlocked = Flags(rawValue: 8)
        /// `close` was called: nothing more is sent or delivered.
        static let closing = Flags(rawValue: 16)
        /// Our FIN is sent; what still comes is discarded.
        static let lingering = Flags(rawValue: 32)
        /// Waits to be ended, or has ended.
        static let broken = Flags(rawValue: 64)
        static let wantsDrained = Flags(rawValue: 128)
        static let ended = Flags(rawValue: 256)
        /// `finishSending` was called.
        static let sendingFinished = Flags(rawValue: 512)
    }

    package let loop: EventLoop
    package let peer: PeerAddress
    let descriptor: Int32
    let slot: UInt32
    let generation: UInt32
    var flags: Flags = []
    /// What epoll is told to watch.
    var watched: UInt8 = 0
    /// The state machine above; the connection and its handler refer to each other until the end.
    @exclusivity(unchecked) package var handler: (any ConnectionHandler)?
    /// Set before the first byte, or never.
    var transform: (any ByteTransform)?

    // Output
    var outbox: Outbox?
    var stagedStart: UInt32 = 0
    var stagedCount: UInt32 = 0
    /// Bytes for the socket that it has not taken.
    var queued = 0
    /// What follows `queued` and is not transformed yet: pieces of it are as the socket takes them.
    var untransformed: Outbox?
    var untransformedBytes = 0
    /// What the loop counts in its sum.
    var heldBytes = 0
    /// What `send` allows to be queued; may be changed at any time.
    package var outboxLimits: OutboxLimits

    // Deadlines, in ticks of the loop; 0 is none.
    var deadlineTick: UInt32 = 0
    var stallTick: UInt32 = 0

    init(
        loop: EventLoop,
        descriptor: Int32,
        slot: UInt32,
        generation: UInt32,
        peer: PeerAddress,
        outboxLimits: OutboxLimits
    ) {
        self.loop = loop
        self.descriptor = descriptor
        self.slot = slot
        self.generation = generation
        self.peer = peer
        self.outboxLimits = outboxLimits
    }

    /// Names this connection for good.
    package var id: ConnectionID {
        ConnectionID(
            loop: UInt32(truncatingIfNeeded: loop.index),
            slot: slot,
            generation: generation
        )
    }

    /// Whether something can still be sent.
    package var isOpen: Bool {
        flags.isDisjoint(with: [.closing, .broken, .ended])
    }

    /// Whether `send` still takes something.
    var takesOutput: Bool {
        flags.isDisjoint(with: [.closing, .broken, .ended, .sendingFinished])
    }

    /// Whether the peer has sent its FIN.
    package var isPeerFinished: Bool {
        flags.contains(.peerFinished)
    }

    /// Whether nobody between the peer and this end can read or change the bytes.
    package var isSecure: Bool {
        transform?.isSecure ?? false
    }

    // MARK: Reading

    /// Takes no bytes from the socket until `resumeReading`; the peer is slowed by TCP.
    package func pauseReading() {
        guard !flags.contains(.readingPaused) else { return }
        flags.insert(.readingPaused)
        loop.markDirty(self)
    }

    package func resumeReading() {
        guard flags.contains(.readingPaused) else { return }
        flags.remove(.readingPaused)
        loop.markDirty(self)
    }

    // MARK: Deadlines

    /// Calls the handler's `deadlineReached` once after `span`, replacing the deadline set before.
    ///
    /// Late by at most two ticks of the loop and never early. Costs no system call.
    package func setDeadline(after span: Duration) {
        setDeadline(after: loop.ticks(span))
    }

    /// The same with a span already converted by `EventLoop.ticks`.
    package func setDeadline(after span: TickSpan) {
        deadlineTick = loop.tick(after: span)
        loop.schedule(self)
    }

    package func clearDeadline() {
        // The wheel finds nothing due and forgets the slot.
        deadlineTick = 0
    }

    /// The earlier of the two deadlines, or 0.
    var nextTick: UInt32 {
        if deadlineTick == 0 { return stallTick }
        if stallTick == 0 { return deadlineTick }
        return min(deadlineTick, stallTick)
    }

    // MARK: The end

    /// Takes nothing more to send, while reading goes on: a protocol's last word stays the last one,
    /// although other rooms hold this connection and go on sending.
    package func finishSending() {
        flags.insert(.sendingFinished)
    }

    /// Sends what is queued, then FIN, then discards what the peer still sends until its FIN or the
    /// linger time: so the last answer reaches it.
    ///
    /// Nothing is delivered to the handler any more but `closed`.
    package func close() {
        guard isOpen else { return }
        flags.insert(.closing)
        // Otherwise the last piece is followed by it.
        if untransformed == nil { finishTransform() }
        flags.remove([.readingPaused, .wantsDrained])
        deadlineTick = 0
        loop.markDirty(self)
    }

    /// Drops what is queued and closes at once; the handler's `closed` follows within the turn.
    package func abort() {
        guard flags.isDisjoint(with: [.broken, .ended]) else { return }
        flags.insert(.broken)
        // Not when it ends: what it held is free for whoever comes next in this turn.
        loop.dropOutput(of: self)
        loop.endLater(self)
    }

    /// Aborts, and has the kernel forget what it keeps for the peer: up to some megabytes, which it
    /// would offer for minutes to one that takes nothing.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        // Where it fails the connection ends all the same.
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
        abort()
    }
}
