/// The bounded queue of a `WorkerPool` had no room.
package struct WorkerPoolFull: Error, Sendable {
    package init() {}
}

/// A fixed number of threads with a bounded queue, for work that would block a loop.
///
/// Password hashes, list queries and file I/O run here; the caller is resumed on its own executor.
package final class WorkerPool: Sendable {
    private struct Queue {
        /// A job gets its thread's index, or nil when it is discarded.
        var jobs: [(@Sendable (Int?) -> Void)?] = []
        var first = 0
        var isClosed = false

        var count: Int { jobs.count - first }

        mutating func takeFirst() -> (@Sendable (Int?) -> Void)? {
            guard first < jobs.count else { return nil }
            let job = jobs[first]
            jobs[first] = nil
            first += 1
            // Compacting at half keeps the take O(1) on average (what ran is freed above).
            if first == jobs.count || first > 64 && first * 2 > jobs.count {
                jobs.removeFirst(first)
                first = 0
            }
            return job
        }
    }

    private let queue = ThreadSignal(Queue())
    private let queueLimit: Int
    private let threads: [SystemThread]

    /// Starts `threads` threads (at least one).
    ///
    /// `queueLimit` bounds the jobs that wait, not those that run. Throws when the system gives no
    /// thread.
    package init(name: String, threads count: Int, queueLimit: Int) throws(LoopFailure) {
        self.queueLimit = queueLimit
        let queue = queue
        var started: [SystemThread] = []
        for index in 0..<max(count, 1) {
            do {
                started.append(
                    try SystemThread(name: "\(name)-\(index)") {
                        Self.work(on: queue, index: index)
                    }
                )
            } catch {
                queue.change(wakesAll: true) { $0.isClosed = true }
                throw error
            }
        }
        threads = started
    }

    /// The number of threads: `body` of `run` gets an index below it.
    package var threadCount: Int {
        threads.count
    }

    /// Jobs that wait for a thread.
    package var queuedCount: Int {
        queue.change { $0.count }
    }

    /// Runs `body` on one of the threads, with the thread's index, and returns its result.
    ///
    /// Throws `WorkerPoolFull` at once when `queueLimit` jobs wait already, or after `close`.
    package func run<Result: Sendable>(
        _ body: @escaping @Sendable (_ thread: Int) -> Result
    ) async throws(WorkerPoolFull) -> Result {
        let result: Result? = await withUnsafeContinuation { continuation in
            let isQueued = enqueue { thread in
                continuation.resume(returning: thread.map(body))
            }
            if !isQueued {
                continuation.resume(returning: nil)
            }
        }
        guard let result else { throw WorkerPoolFull() }
        return result
    }

    /// Queues `job` without waiting for it.
    ///
    /// Returns whether there was room.
    package func submit(_ job: @escaping @Sendable (_ thread: Int) -> Void) -> Bool {
        enqueue { thread in
            if let thread { job(thread) }
        }
    }

    private func enqueue(_ job: @escaping @Sendable (Int?) -> Void) -> Bool {
        queue.change { queue in
            guard !queue.isClosed, queue.count < queueLimit else { return false }
            queue.jobs.append(job)
            return true
        }
    }

    /// Takes no more jobs, runs those that wait, and returns when the threads have ended.
    ///
    /// `discardsWaiting`: those that wait are not run; a caller of `run` gets `WorkerPoolFull`.
    /// Once.
    package func close(discardsWaiting: Bool = false) {
        let discarded = queue.change(wakesAll: true) { queue in
            queue.isClosed = true
            var discarded: [@Sendable (Int?) -> Void] = []
            while discardsWaiting, let job = queue.takeFirst() { discarded.append(job) }
            return discarded
        }
        for job in discarded { job(nil) }
        for thread in threads {
            thread.join()
        }
    }

    private static func work(on queue: ThreadSignal<Queue>, index: Int) {
        enum Next {
            case job(@Sendable (Int?) -> Void)
            case end
        }
        while true {
            let next: Next = queue.wait { queue in
                if let job = queue.takeFirst() { return .job(job) }
                return queue.isClosed ? .end : nil
            }
            switch next {
            case .job(let job): job(index)
            case .end: return
            }
        }
    }
}
