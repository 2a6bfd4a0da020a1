import CLinux
import Glibc

extension EventLoop {
    func markDirty(_ connection: Connection) {
        guard connection.flags.isDisjoint(with: [.dirty, .ended]) else { return }
        connection.flags.insert(.dirty)
        dirty.append(connection)
        hasUnflushed = true
    }

    // MARK: Memory that connections borrow

    /// Appends `bytes` and `more` to what `connection` has in the arena, if it can stay one range.
    func stage(
        _ bytes: UnsafeRawBufferPointer,
        _ more: UnsafeRawBufferPointer,
        for connection: Connection
    ) -> Bool {
        let isContiguous =
            connection.stagedCount == 0
            || Int(connection.stagedStart) + Int(connection.stagedCount) == arena.used
        let start = arena.used
        guard isContiguous, arena.append(bytes, more) else { return false }
        if connection.stagedCount == 0 {
            connection.stagedStart = UInt32(truncatingIfNeeded: start)
        }
        connection.stagedCount += UInt32(truncatingIfNeeded: arena.used - start)
        return true
    }

    func stagedBytes(of connection: Connection) -> UnsafeRawBufferPointer {
        arena.bytes(Int(connection.stagedStart), Int(connection.stagedCount))
    }

    private static let spareOutboxLimit = 64

    func takeOutbox() -> Outbox {
        spareOutboxes.popLast() ?? Outbox()
    }

    func giveBack(_ outbox: Outbox) {
        guard spareOutboxes.count < Self.spareOutboxLimit else { return }
        outbox.removeAll()
        spareOutboxes.append(outbox)
    }

    // MARK: The end of the turn

    func flushDirty() {
        guard !dirty.isEmpty else { return }
        var batch = ContiguousArray<Connection>()
        swap(&batch, &dirty)
        for connection in batch {
            connection.flags.remove(.dirty)
            guard connection.flags.isDisjoint(with: [.broken, .ended]) else { continue }
            flush(connection)
            if connection.queuedBytes > 0 || connection.heldBytes > 0 { noteHeld(connection) }
            settle(connection)
        }
        batch.removeAll(keepingCapacity: batch.capacity <= 16_384)
        if dirty.isEmpty {
            swap(&batch, &dirty)
        }
        arena.reset()
    }

    /// Writes what is queued as far as the socket takes it, with one system call where that is little.
    ///
    /// Of answers, which have no limit of their own, no more than one connection's part of a turn.
    func flush(_ connection: Connection) {
        flush(
            connection,
            upTo: connection.outboxLimits == .unlimited ? limits.flushBytes : Int.max
        )
    }

    /// Writes at most about `most` bytes of what is queued.
    func flush(_ connection: Connection, upTo most: Int) {
        guard connection.flags.isDisjoint(with: [.writeBlocked, .broken, .ended]) else {
            spill(connection)
            return
        }
        var left = most
        while connection.queuedBytes > 0 {
            // The rest's turn is the next one.
            guard left > 0 else {
                spill(connection)
                markDirty(connection)
                return
            }
            if connection.isReadyForPiece {
                connection.transformNextPiece()
                guard connection.queued > 0 else { continue }
            }
            let asked = connection.queued
            let writing: Outbox.Writing
            if connection.outbox != nil {
                writing = connection.outboxAfterStaged()
                    .write(upTo: left, to: connection.descriptor, by: vectors)
            } else {
                writing = Outbox.Writing(result: writeStaged(of: connection), offered: asked)
            }
            let taken = writing.result
            guard taken > 0 else {
                afterFailedWrite(-taken, of: connection)
                return
            }
            precondition(taken <= asked, "no more is written than was queued")
            connection.queued -= taken
            connection.stallTick = 0
            left -= taken
            if connection.queued == 0, let outbox = connection.outbox {
                connection.outbox = nil
                giveBack(outbox)
            }
            if taken < writing.offered {
                spill(connection)
                block(connection)
                return
            }
        }
    }

    private func writeStaged(of connection: Connection) -> Int {
        let bytes = stagedBytes(of: connection)
        while true {
            let sent = hato_send(connection.descriptor, bytes.baseAddress, bytes.count)
            if sent == bytes.count {
                connection.stagedCount = 0
            } else if sent > 0 {
                connection.spillBegun(bytes, written: sent)
            }
            if sent >= 0 { return sent }
            if errno != EINTR { return -Int(errno) }
        }
    }

    private func afterFailedWrite(_ code: Int, of connection: Connection) {
        if code == Int(EAGAIN) || code == 0 {
            spill(connection)
            block(connection)
        } else {
            connection.abort()
        }
    }

    /// What stays in the arena when the turn ends moves into the connection's own outbox.
    private func spill(_ connection: Connection) {
        if connection.stagedCount > 0 {
            _ = connection.outboxAfterStaged()
        }
    }

    private func block(_ connection: Connection) {
        connection.flags.insert(.writeBlocked)
        if connection.stallTick == 0 {
            connection.stallTick = tick(after: ticks(limits.stalledWrite))
            schedule(connection)
        }
    }

    /// After the flush: the orderly end, the drained call, and what epoll shall watch.
    private func settle(_ connection: Connection) {
        guard connection.flags.isDisjoint(with: [.broken, .ended]) else { return }
        if connection.queuedBytes == 0 {
            if connection.flags.contains(.closing) {
                finishSending(connection)
            } else if connection.flags.contains(.wantsDrained) {
                connection.flags.remove(.wantsDrained)
                drainings.append(connection)
                hasAftermath = true
            }
        }
        watch(connection)
    }

    private func finishSending(_ connection: Connection) {
        guard !connection.flags.contains(.lingering) else { return }
        connection.flags.insert(.lingering)
        if connection.flags.contains(.peerFinished) {
            endLater(connection)
            return
        }
        shutdown(connection.descriptor, Int32(SHUT_WR))
        let span = drain == nil ? limits.linger : limits.lingerWhenStopping
        connection.deadlineTick = tick(after: ticks(span))
        schedule(connection)
    }

    private func watch(_ connection: Connection) {
        var wanted: UInt32 = 0
        if connection.flags.isDisjoint(with: [.readingPaused, .peerFinished]) {
            wanted |= EPOLLIN.rawValue
        }
        if connection.flags.contains(.writeBlocked) {
            wanted |= EPOLLOUT.rawValue
        }
        guard UInt8(truncatingIfNeeded: wanted) != connection.watched else { return }
        var event = epoll_event()
        event.events = wanted
        event.data.u64 = UInt64(connection.generation) << 32 | UInt64(connection.slot)
        if epoll_ctl(epoll, EPOLL_CTL_MOD, connection.descriptor, &event) == 0 {
            connection.watched = UInt8(truncatingIfNeeded: wanted)
        } else {
            connection.abort()
        }
    }

    func notifyDrained() {
        guard !drainings.isEmpty else { return }
        var batch = ContiguousArray<Connection>()
        swap(&batch, &drainings)
        for connection in batch where connection.isOpen {
            connection.handler?.drained(on: connection)
        }
        batch.removeAll(keepingCapacity: true)
        if drainings.isEmpty {
            swap(&batch, &drainings)
        }
    }
}
