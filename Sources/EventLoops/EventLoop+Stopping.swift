import Glibc

extension EventLoop {
    /// A stop under way: who is told when the last connection is gone.
    struct Drain {
        let report: @Sendable () -> Void
        var isReported = false
    }

    /// Stops accepting and asks every handler to come to an end; `report` is called once, when no
    /// connection is left.
    ///
    /// What is left after `span` is aborted. Loop only.
    func beginDrain(within span: Duration, report: @escaping @Sendable () -> Void) {
        guard drain == nil else {
            report()
            return
        }
        stopAccepting()
        drain = Drain(report: report)
        for connection in slots {
            guard let connection else { continue }
            if connection.flags.contains(.lingering) {
                connection.deadlineTick = tick(after: ticks(limits.lingerWhenStopping))
                schedule(connection)
            } else if connection.isOpen {
                connection.handler?.stopping(on: connection)
            }
        }
        after(span) { [weak self] in
            self?.abortAll()
        }
    }

    private func abortAll() {
        for connection in slots {
            connection?.abort()
        }
    }

    func reportIfDrained() {
        guard openCount == 0, let drain, !drain.isReported else { return }
        self.drain?.isReported = true
        drain.report()
    }

    /// After the last turn: nothing that referred to this loop stays behind.
    func releaseEverything() {
        abortAll()
        endBroken()
        for listener in listeners {
            close(listener.descriptor)
        }
        listeners.removeAll()
        dirty.removeAll()
        drainings.removeAll()
        slots.removeAll()
    }
}
