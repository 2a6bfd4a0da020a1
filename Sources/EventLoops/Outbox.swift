import CLinux
import Glibc

/// What waits to be written to one connection, in order: shared frames, then gathered copies.
///
/// Exists only while something waits; the loop recycles empty ones with their capacity.
final class Outbox {
    private var frames: ContiguousArray<Frame> = []
    /// Bytes of `frames[0]` that are written already.
    private var writtenOfFirst = 0
    /// Copied bytes after the last frame, `tailStart` of which are written already.
    private var tail: [UInt8] = []
    private var tailStart = 0
    /// Where frames end in `tail`: those of a transformed stream lie there, one behind the other.
    private var tailEnds: ContiguousArray<Int> = []

    var isEmpty: Bool {
        frames.isEmpty && tail.isEmpty
    }

    /// The frames that wait; all gathered copies after the last one count as one.
    var frameCount: Int {
        frames.count + tailEnds.count + (hasGathered ? 1 : 0)
    }

    /// Whether copies were gathered behind the last frame.
    private var hasGathered: Bool {
        tail.count > max(tailEnds.last ?? 0, tailStart)
    }

    func append(_ frame: Frame) {
        sealTail()
        frames.append(frame)
    }

    func append(copying bytes: UnsafeRawBufferPointer) {
        tail.append(contentsOf: bytes)
    }

    /// Bytes that are written and whose memory is kept for those behind them.
    var spentBytes: Int {
        writtenOfFirst + tailStart
    }

    /// Calls `body` with the first bytes that wait, `limit` at most and of one piece, and forgets them.
    ///
    /// Returns how many these were.
    func takeFirst(upTo limit: Int, _ body: (Span<UInt8>) -> Void) -> Int {
        let count: Int
        if let first = frames.first {
            count = min(limit, first.count - writtenOfFirst)
            first.withBytes { body($0.extracting(writtenOfFirst..<writtenOfFirst + count)) }
        } else {
            count = min(limit, tail.count - tailStart)
            body(tail.span.extracting(tailStart..<tailStart + count))
        }
        forget(count)
        return count
    }

    /// Lets `body` append bytes, of which there will be `count` at most, and returns how many it did.
    ///
    /// `isFrame`: they count as a frame of their own, else as gathered copies.
    func append(atMost count: Int, isFrame: Bool, _ body: (inout [UInt8]) -> Void) -> Int {
        let start = tail.count
        if isFrame, hasGathered { tailEnds.append(start) }
        defer { if isFrame, tail.count > start { tailEnds.append(tail.count) } }
        // Room for all at once where growing step by step would copy much; never less than doubling.
        if count > tail.capacity - start {
            tail.reserveCapacity(max(start + count, 2 * start))
        }
        body(&tail)
        return tail.count - start
    }

    /// Drops every frame of which no byte is written yet, so that a last word can be said in a
    /// well-formed stream.
    ///
    /// Returns the bytes that are still queued.
    func dropUnbegun() -> Int {
        if writtenOfFirst > 0, let first = frames.first {
            frames.removeAll(keepingCapacity: true)
            frames.append(first)
            removeTail()
            return first.count - writtenOfFirst
        }
        guard frames.isEmpty, tailStart > 0 else {
            removeAll()
            return 0
        }
        return tail.count - tailStart
    }

    func removeAll() {
        frames.removeAll(keepingCapacity: true)
        writtenOfFirst = 0
        removeTail()
    }

    /// Writes with one system call at most `limit` bytes of at most `vectors.count` pieces, none behind
    /// the first array that was adopted, and forgets what was taken.
    func write(
        upTo limit: Int,
        to descriptor: Int32,
        by vectors: UnsafeMutableBufferPointer<iovec>
    ) -> Writing {
        var offer = Offer(vectors: vectors, left: limit)
        var adopted: Frame?
        for (index, frame) in frames.enumerated() {
            guard offer.isOpen else { break }
            guard let memory = frame.memory else {
                adopted = frame
                break
            }
            offer.add(memory, frame.count, skipping: index == 0 ? writtenOfFirst : 0)
        }
        let result: Int
        if let adopted {
            let skipped = offer.used == 0 ? writtenOfFirst : 0
            result = adopted.withBytes { bytes in
                bytes.withUnsafeBytes { bytes in
                    offer.add(bytes.baseAddress, bytes.count, skipping: skipped)
                    return send(vectors, count: offer.used, to: descriptor)
                }
            }
        } else {
            result = tail.withUnsafeBytes { bytes in
                if offer.isOpen { offer.add(bytes.baseAddress, bytes.count, skipping: tailStart) }
                return send(vectors, count: offer.used, to: descriptor)
            }
        }
        if result > 0 {
            forget(result)
        }
        return Writing(result: result, offered: limit - offer.left)
    }

    /// What became of a write.
    struct Writing {
        /// The bytes taken, or the negated errno.
        let result: Int
        let offered: Int
    }

    /// The pieces of one write.
    private struct Offer {
        let vectors: UnsafeMutableBufferPointer<iovec>
        var left: Int
        var used = 0

        var isOpen: Bool { used < vectors.count && left > 0 }

        mutating func add(_ base: UnsafeRawPointer?, _ count: Int, skipping skipped: Int) {
            guard let base, count > skipped else { return }
            let offered = min(count - skipped, left)
            vectors[used] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: base + skipped),
                iov_len: offered
            )
            used += 1
            left -= offered
        }
    }

    /// `sendmsg` is `writev` with flags: no SIGPIPE from a library that resets the disposition.
    private func send(
        _ vectors: UnsafeMutableBufferPointer<iovec>,
        count: Int,
        to descriptor: Int32
    ) -> Int {
        while true {
            let sent: Int
            if count == 1 {
                sent = hato_send(descriptor, vectors[0].iov_base, vectors[0].iov_len)
            } else {
                var message = msghdr()
                message.msg_iov = vectors.baseAddress
                message.msg_iovlen = count
                sent = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
            }
            if sent >= 0 { return sent }
            if errno != EINTR { return -Int(errno) }
        }
    }

    /// Forgets the first `count` bytes: they are written.
    func forget(_ count: Int) {
        var rest = count
        var whole = 0
        while whole < frames.count {
            let waiting = frames[whole].count - writtenOfFirst
            guard rest >= waiting else {
                writtenOfFirst += rest
                rest = 0
                break
            }
            rest -= waiting
            writtenOfFirst = 0
            whole += 1
        }
        frames.removeFirst(whole)
        tailStart += rest
        if tailStart == tail.count {
            removeTail()
        } else if rest > 0 {
            forgetTail()
        }
    }

    /// Written bytes that the tail may hold on to.
    private static let keptWrittenBytes = 65_536

    /// A reader that is always a little behind must not have us keep all that it ever got.
    private func forgetTail() {
        tailEnds.removeFirst(tailEnds.prefix { $0 <= tailStart }.count)
        guard tailStart > Self.keptWrittenBytes, tailStart > tail.count / 2 else { return }
        // One byte stays: the piece counts as begun.
        let surplus = tailStart - 1
        tail.removeFirst(surplus)
        for index in tailEnds.indices { tailEnds[index] -= surplus }
        tailStart = 1
    }

    /// Gathered copies become a frame, so that what follows stays behind them.
    private func sealTail() {
        guard !tail.isEmpty else { return }
        if tailStart > 0 {
            // Then no frame is before it, and the piece counts as begun.
            writtenOfFirst = tailStart
        }
        frames.append(Frame(copying: tail.span))
        removeTail()
    }

    private func removeTail() {
        // A large backlog's memory is given back; a usual one's is kept for the next.
        tail.removeAll(keepingCapacity: tail.capacity <= 65_536)
        tailStart = 0
        tailEnds.removeAll(keepingCapacity: true)
    }
}
