import CLinux
import Glibc
import Telemetry

extension EventLoop {
    /// Begins to accept on `listener`.
    ///
    /// Loop only, or before the loop has started.
    func add(_ listener: Listener) {
        listeners.append(listener)
        guard drain == nil else { return }
        arm(listener, at: listeners.count - 1)
    }

    private func arm(_ listener: Listener, at index: Int) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = Self.listenerMark | UInt64(index)
        if epoll_ctl(epoll, EPOLL_CTL_ADD, listener.descriptor, &event) == 0 {
            listener.isArmed = true
        } else {
            log.error("cannot watch a listener", ["errno": String(errno)])
        }
    }

    /// Accepts `limit` connections, or one turn's batch, until none waits.
    func accept(on index: Int, atMost limit: Int? = nil) {
        guard index < listeners.count, listeners[index].isArmed else { return }
        let listener = listeners[index]
        for _ in 0..<max(limit ?? limits.acceptBatch, 1) {
            guard shared.open.value < shared.connectionLimit else {
                pauseAccepting(because: "connection limit")
                return
            }
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = hato_accept(listener.descriptor, &address, &length)
            guard descriptor >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                afterFailedAccept(errno)
                return
            }
            shared.accepted.add()
            var one: Int32 = 1
            setsockopt(
                descriptor,
                Int32(IPPROTO_TCP),
                TCP_NODELAY,
                &one,
                socklen_t(MemoryLayout<Int32>.size)
            )
            open(descriptor, peer: PeerAddress(address), from: listener)
        }
    }

    private func afterFailedAccept(_ code: Int32) {
        switch code {
        case EAGAIN:
            return
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            pauseAccepting(because: "descriptors")
        default:
            // Of the connection, not of the listener (accept(2): treat network errors like EAGAIN).
            log.debug("a connection failed while it was accepted", ["errno": String(code)])
        }
    }

    /// While descriptors are short a loop says so this often, not at every attempt.
    private static let pauseLineNanoseconds: UInt64 = 10_000_000_000

    /// Takes the listeners out of epoll: level-triggered, they would report the same connection for
    /// ever while it can't be taken.
    private func pauseAccepting(because reason: String) {
        guard listeners.contains(where: \.isArmed) else { return }
        shared.acceptPauses.add()
        if now.monotonicNanoseconds >= nextPauseLine {
            nextPauseLine = now.monotonicNanoseconds &+ Self.pauseLineNanoseconds
            log.warning("accepting is paused", ["loop": String(index), "for want of": reason])
        }
        for listener in listeners where listener.isArmed {
            disarm(listener)
        }
        after(limits.acceptPause) { [weak self] in
            self?.resumeAccepting()
        }
    }

    private func disarm(_ listener: Listener) {
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, listener.descriptor, &event)
        listener.isArmed = false
    }

    /// Accepts again: a descriptor was freed, or some time has passed.
    func resumeAccepting() {
        guard drain == nil else { return }
        for (index, listener) in listeners.enumerated() where !listener.isArmed {
            arm(listener, at: index)
        }
    }

    /// Accepts what the kernel has queued already, at most a backlog of it, then closes the
    /// listeners: who is queued when they close gets a reset instead of an answer.
    func stopAccepting() {
        for (index, listener) in listeners.enumerated() {
            if listener.isArmed {
                // The kernel's queue holds one more than it was told.
                accept(on: index, atMost: Int(limits.backlog) + 1)
                disarm(listener)
            }
            Glibc.close(listener.descriptor)
        }
        listeners.removeAll()
    }
}
