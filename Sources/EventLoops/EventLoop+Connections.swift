import CLinux
import Glibc
import Telemetry

extension EventLoop {
    /// Event tokens: generation << 32 | slot for a connection; the top bit marks the loop's own.
    static let wakeToken = UInt64.max
    static let listenerMark: UInt64 = 1 << 63

    /// The connection named `id`, if it is still this one and open.
    ///
    /// Loop only.
    package func connection(_ id: ConnectionID) -> Connection? {
        guard Int(id.slot) < slots.count, let connection = slots[Int(id.slot)],
            connection.generation == id.generation
        else { return nil }
        return connection
    }

    /// Open connections of this loop.
    ///
    /// Loop only.
    package var connectionCount: Int {
        openCount
    }

    func handle(token: UInt64, events: UInt32) {
        if token & Self.listenerMark != 0 {
            if token != Self.wakeToken {
                accept(on: Int(token & ~Self.listenerMark))
            }
            return
        }
        let slot = Int(truncatingIfNeeded: token & 0xFFFF_FFFF)
        guard slot < slots.count, let connection = slots[slot],
            connection.generation == UInt32(truncatingIfNeeded: token >> 32)
        else { return }
        handle(events, on: connection)
    }

    private func handle(_ events: UInt32, on connection: Connection) {
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
            end(connection)
            return
        }
        if events & EPOLLOUT.rawValue != 0 {
            connection.flags.remove(.writeBlocked)
            markDirty(connection)
        }
        if events & EPOLLIN.rawValue != 0 {
            read(connection)
        }
    }

    private func read(_ connection: Connection) {
        guard connection.flags.isDisjoint(with: [.broken, .ended]) else { return }
        let discards = connection.flags.contains(.closing)
        if !discards, connection.flags.contains(.readingPaused) { return }
        let count = hato_receive(connection.descriptor, readBuffer.baseAddress, readBuffer.count)
        if count > 0 {
            guard !discards else { return }
            let bytes = UnsafeRawBufferPointer(rebasing: readBuffer[..<count])
            deliver(bytes.assumingMemoryBound(to: UInt8.self), to: connection)
        } else if count == 0 {
            if connection.flags.contains(.lingering) {
                end(connection)
            } else {
                finishPeer(of: connection)
            }
        } else if errno != EAGAIN && errno != EINTR {
            end(connection)
        }
    }

    private func deliver(_ bytes: UnsafeBufferPointer<UInt8>, to connection: Connection) {
        guard let transform = connection.transform else {
            connection.handler?.received(bytes.span, on: connection)
            return
        }
        withScratch { plain in
            let state = withScratch { wire in
                let state = transform.decode(bytes.span, plain: &plain, wire: &wire)
                wire.withUnsafeBytes { connection.enqueueUnasked($0) }
                return state
            }
            if !plain.isEmpty {
                connection.handler?.received(plain.span, on: connection)
            }
            switch state {
            case .open: break
            case .finished: finishPeer(of: connection)
            case .broken:
                connection.dropUntransformed()
                connection.close()
            }
        }
    }

    /// The peer sends no more: nothing is read, and what it asked for is answered.
    private func finishPeer(of connection: Connection) {
        guard connection.flags.isDisjoint(with: [.peerFinished, .broken, .ended]) else { return }
        connection.flags.insert(.peerFinished)
        markDirty(connection)
        if !connection.flags.contains(.closing) {
            connection.handler?.peerFinished(on: connection)
        }
    }

    /// Lends an empty array of the loop for bytes before or behind a transform; one within another
    /// gets another.
    func withScratch<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
        var bytes = scratches.popLast() ?? []
        defer {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 131_072)
            scratches.append(bytes)
        }
        return body(&bytes)
    }

    // MARK: Deadlines

    /// Makes the wheel look at `connection` no later than its earliest deadline.
    func schedule(_ connection: Connection) {
        let wanted = connection.nextTick
        guard wanted != 0, !connection.flags.contains(.ended) else { return }
        let slot = Int(connection.slot)
        let set = wheel.tick(of: slot)
        // A later deadline is found when the earlier one rings: no list work per request.
        if set == 0 || wanted < set {
            setWheel(slot, to: wanted)
        }
    }

    func expire(_ connection: Connection) {
        let tick = currentTick
        if connection.stallTick != 0, connection.stallTick <= tick {
            connection.stallTick = 0
            connection.reset()
        }
        if connection.deadlineTick != 0, connection.deadlineTick <= tick {
            connection.deadlineTick = 0
            if connection.flags.contains(.lingering) {
                end(connection)
            } else if connection.isOpen {
                connection.handler?.deadlineReached(on: connection)
            }
        }
        schedule(connection)
    }

    // MARK: Slots

    func open(_ descriptor: Int32, peer: PeerAddress, from listener: Listener) {
        let slot: UInt32
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = UInt32(truncatingIfNeeded: slots.count)
            slots.append(nil)
            generations.append(0)
        }
        let connection = Connection(
            loop: self,
            descriptor: descriptor,
            slot: slot,
            generation: generations[Int(slot)],
            peer: peer,
            outboxLimits: limits.outbox
        )
        slots[Int(slot)] = connection
        openCount += 1
        shared.open.change(by: 1)
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = UInt64(connection.generation) << 32 | UInt64(slot)
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
            log.error("cannot watch a connection", ["errno": String(errno)])
            end(connection)
            return
        }
        connection.watched = UInt8(truncatingIfNeeded: EPOLLIN.rawValue)
        connection.transform = listener.makeTransform?(connection)
        let handler = listener.makeHandler(connection)
        connection.handler = handler
        if drain != nil {
            handler.stopping(on: connection)
        }
    }

    func endLater(_ connection: Connection) {
        endings.append(connection)
        hasAftermath = true
    }

    func endBroken() {
        while let connection = endings.popLast() {
            end(connection)
        }
    }

    /// Frees what waits to be written.
    func dropOutput(of connection: Connection) {
        connection.stagedCount = 0
        connection.queued = 0
        connection.dropUntransformed()
        if let outbox = connection.outbox {
            connection.outbox = nil
            giveBack(outbox)
        }
        forgetHeld(connection)
    }

    /// Closes the socket, frees the slot and tells the handler: once.
    func end(_ connection: Connection) {
        guard !connection.flags.contains(.ended) else { return }
        connection.flags.insert([.ended, .broken])
        Glibc.close(connection.descriptor)
        let slot = Int(connection.slot)
        wheel.clear(slot)
        slots[slot] = nil
        generations[slot] = (generations[slot] &+ 1) & 0x7FFF_FFFF
        freeSlots.append(connection.slot)
        openCount -= 1
        shared.open.change(by: -1)
        dropOutput(of: connection)
        let handler = connection.handler
        connection.handler = nil
        connection.transform = nil
        handler?.closed(on: connection)
        resumeAccepting()
    }
}
