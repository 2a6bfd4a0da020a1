import CLinux
import Glibc
package import Telemetry

extension Connection {
    /// Bytes that the socket has not taken yet.
    package var queuedBytes: Int {
        untransformedBytes == 0 ? queued : queued + wireCount(of: untransformedBytes)
    }

    /// The memory that what waits is in: of a frame that is written in part it is the whole.
    var memoryBytes: Int {
        queued + untransformedBytes + (outbox?.spentBytes ?? 0) + (untransformed?.spentBytes ?? 0)
    }

    /// Queues a shared frame; it is written at the end of the loop's turn, without a copy.
    ///
    /// Returns false when the connection is closing, after `finishSending`, or when the outbox
    /// limits refuse it: then the handler's `overflowed` was called before.
    @discardableResult
    package func send(_ frame: Frame) -> Bool {
        guard takesOutput else { return false }
        guard frame.count > 0 else { return true }
        guard admits(wireCount(of: frame.count)) else {
            handler?.overflowed(on: self)
            return false
        }
        if let transform {
            guard untransformed != nil || frame.count > loop.limits.pieceBytes else {
                return frame.withBytes { encode($0, by: transform, isFrame: true) }
            }
            untransformedAfterTransformed().append(frame)
            untransformedBytes += frame.count
            loop.markDirty(self)
            return true
        }
        enqueue(frame)
        return true
    }

    /// Queues an answer's body without a copy.
    ///
    /// A large one is offered to the socket at once and counts from then on among what all answers hold,
    /// instead of what was reserved for it: when that is too much, those whose peers take least are
    /// dropped, this one maybe. Returns false as `send(_:)` does.
    @discardableResult
    package func send(body: [UInt8], insteadOf reservation: ByteReservation?) -> Bool {
        loop.answeredBytes += body.count
        guard send(Frame(adopting: body)) else { return false }
        if reservation != nil || body.count >= loop.limits.promptBodyBytes {
            loop.flush(self)
            loop.noteHeld(self, insteadOf: reservation)
        }
        return true
    }

    /// Queues a copy of `bytes`, and of `more` behind them as one frame.
    ///
    /// Several in one turn leave as one piece, without an allocation as long as nobody else on this
    /// loop has written in between. A head and its body need not be joined before.
    ///
    /// Returns false as `send(_:)` does.
    @discardableResult
    package func send(copying bytes: Span<UInt8>, _ more: Span<UInt8> = Span()) -> Bool {
        guard takesOutput else { return false }
        let count = bytes.count + more.count
        guard count > 0 else { return true }
        guard admits(wireCount(of: count)) else {
            handler?.overflowed(on: self)
            return false
        }
        if let transform {
            guard let untransformed else { return encode(bytes, more, by: transform) }
            bytes.withUnsafeBytes { untransformed.append(copying: $0) }
            more.withUnsafeBytes { untransformed.append(copying: $0) }
            untransformedBytes += count
            loop.markDirty(self)
            return true
        }
        bytes.withUnsafeBytes { bytes in
            more.withUnsafeBytes { enqueue(copying: bytes, $0) }
        }
        return true
    }

    /// Calls the handler's `drained` once when nothing is queued any more, at the earliest in the
    /// next turn.
    package func notifyWhenDrained() {
        guard isOpen else { return }
        flags.insert(.wantsDrained)
        loop.markDirty(self)
    }

    /// Drops every queued piece of which no byte is written, and returns the bytes that stay: a
    /// close frame can then follow in a well-formed stream although the outbox was full.
    ///
    /// Of a transformed stream only what is not transformed yet is dropped: its pieces depend on each other.
    @discardableResult
    package func dropUnbegun() -> Int {
        guard transform == nil else {
            untransformedBytes = untransformed?.dropUnbegun() ?? 0
            if untransformedBytes == 0 { dropUntransformed() }
            return queuedBytes
        }
        stagedCount = 0
        queued = outbox?.dropUnbegun() ?? 0
        return queued
    }

    /// Whether `count` more bytes, as one frame, are within the limits.
    private func admits(_ count: Int) -> Bool {
        if isWithinLimits(count) { return true }
        // A fast reader must not be refused because much came in one turn: offer it to the socket.
        guard !flags.contains(.writeBlocked) else { return false }
        loop.flush(self, upTo: .max)
        return isOpen && isWithinLimits(count)
    }

    private func isWithinLimits(_ count: Int) -> Bool {
        guard queuedBytes > 0 else { return true }
        let frames =
            (outbox?.frameCount ?? 0) + (stagedCount > 0 ? 1 : 0)
            + (untransformed?.frameCount ?? 0)
        return queuedBytes + count <= outboxLimits.bytes && frames < outboxLimits.frames
    }

    /// What `count` bytes of the handler take in the outbox, at most.
    private func wireCount(of count: Int) -> Int {
        transform?.wireCount(of: count) ?? count
    }

    /// Queues what a transform says by itself.
    ///
    /// A peer that has it speak and does not listen is dropped at the limit of its outbox, if it has one.
    func enqueueUnasked(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        guard isWithinLimits(bytes.count) else {
            abort()
            return
        }
        enqueue(copying: bytes)
    }

    private func enqueue(_ frame: Frame) {
        let outbox = outboxAfterStaged()
        outbox.append(frame)
        queued += frame.count
        loop.markDirty(self)
    }

    func enqueue(
        copying bytes: UnsafeRawBufferPointer,
        _ more: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        let count = bytes.count + more.count
        guard count > 0 else { return }
        if outbox != nil || !loop.stage(bytes, more, for: self) {
            let outbox = outboxAfterStaged()
            outbox.append(copying: bytes)
            outbox.append(copying: more)
        }
        queued += count
        loop.markDirty(self)
    }

    /// Moves the staged `bytes`, of which the socket has taken `written`, into an outbox of their
    /// own: whole, so that it is known to be begun and is not cut when the rest is dropped.
    func spillBegun(_ bytes: UnsafeRawBufferPointer, written: Int) {
        let outbox = loop.takeOutbox()
        outbox.append(copying: bytes)
        outbox.forget(written)
        self.outbox = outbox
        stagedCount = 0
    }

    /// The outbox, with what is staged in the arena moved into it.
    func outboxAfterStaged() -> Outbox {
        let outbox = outbox ?? loop.takeOutbox()
        self.outbox = outbox
        if stagedCount > 0 {
            outbox.append(copying: loop.stagedBytes(of: self))
            stagedCount = 0
        }
        return outbox
    }
}
