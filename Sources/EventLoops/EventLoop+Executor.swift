import CLinux
import Glibc
import Synchronization

extension EventLoop {
    /// Runs `work` on this loop; from any thread.
    ///
    /// First in, first out over all threads, the loop's own too: work queued under one lock runs in
    /// the lock's order. One wake for all that is queued while the loop is busy.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        post(.work(work))
    }

    /// Makes tasks with this executor preference run on the loop's thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
        } else {
            post(.job(job))
        }
    }

    /// Suspends until the loop has looked after its sockets again; for a task on this loop that has more
    /// to do than one turn should take.
    package func nextTurn() async {
        await withUnsafeContinuation { continuation in
            after(.zero) { continuation.resume() }
        }
    }

    private func post(_ item: InboxItem) {
        let isSignalNeeded = inbox.withLock { inbox in
            inbox.items.append(item)
            if inbox.isSignalled { return false }
            inbox.isSignalled = true
            return true
        }
        hasMail.store(true, ordering: .releasing)
        // On its own thread the loop looks into the inbox before it waits.
        guard isSignalNeeded, !isCurrent else { return }
        signal()
    }

    private func signal() {
        var one: UInt64 = 1
        while write(wake, &one, MemoryLayout<UInt64>.size) < 0, errno == EINTR {}
    }
}
