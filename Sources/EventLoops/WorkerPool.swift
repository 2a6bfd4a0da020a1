import CLinux
import Synchronization

/// The bounded queue of a `WorkerPool` had no room.
package struct WorkerPoolFull: Error, Sendable {
    package init() {}
}

/// A fixed number of threads with bounded queues, for work that would block a loop.
///
/// Password hashes, list queries and file I/O run here; the caller is resumed on its own executor.
/// Jobs have a key, and keys take turns: who queues a thousand jobs keeps others waiting for one.
package final class WorkerPool: Sendable {
    private struct Clock {
        var due: ContinuousClock.Instant?
        var isClosed = false
    }

    private let queue: ThreadSignal<TurnQueue>
    private let waiting: WaitingJobs
    private let clock = ThreadSignal(Clock())
    private let threads: [SystemThread]
    private let clockThread: SystemThread?

    /// Starts `threads` threads (at least one).
    ///
    /// `queueLimit` bounds the jobs of one key that wait, `threadsPerKey` those that run (none: as
    /// many as there are threads). `niceness` above 0 leaves the processor to other threads.
    /// `keepsDeadlines` is for jobs with a deadline: one more thread looks at the clock. Throws when
    /// the system gives no thread.
    package init(
        name: String,
        threads count: Int,
        threadsPerKey: Int? = nil,
        queueLimit: Int,
        niceness: Int32 = 0,
        keepsDeadlines: Bool = false
    ) throws(LoopFailure) {
        let count = max(count, 1)
        let turns = TurnQueue(
            threadsPerKey: min(threadsPerKey ?? count, count),
            lineLimit: queueLimit
        )
        waiting = turns.waiting
        let queue = ThreadSignal(turns)
        self.queue = queue
        let clock = clock
        var started: [SystemThread] = []
        do {
            for index in 0..<count {
                started.append(
                    try SystemThread(name: "\(name)-\(index)") {
                        if niceness > 0 { hato_lower_thread_priority(niceness) }
                        Self.work(on: queue)
                    }
                )
            }
            clockThread =
                keepsDeadlines
                ? try SystemThread(name: "\(name)-clock") { Self.keepTime(of: queue, by: clock) }
                : nil
        } catch {
            _ = queue.change(wakesAll: true) { $0.close(discardsWaiting: true) }
            throw error
        }
        threads = started
    }

    /// The number of threads.
    package var threadCount: Int {
        threads.count
    }

    /// Jobs that wait for a thread.
    package var queuedCount: Int {
        queue.change { $0.count }
    }

    /// Whether a job waits for a thread; a look that costs nothing, and may be a moment old.
    package var hasWaitingJobs: Bool {
        waiting.count.load(ordering: .relaxed) > 0
    }

    /// Runs `body` on one of the threads, with its place among the running jobs, and returns its
    /// result.
    ///
    /// Throws `WorkerPoolFull` at once when `queueLimit` jobs of the key wait already, or after
    /// `close`.
    package func run<Result: Sendable>(
        for key: Int = 0,
        _ body: @escaping @Sendable (_ place: Int) -> Result
    ) async throws(WorkerPoolFull) -> Result {
        let result: Result? = await withUnsafeContinuation { continuation in
            let isQueued = enqueue(for: key) { turn in
                guard case .began(let place) = turn else {
                    return continuation.resume(returning: nil)
                }
                continuation.resume(returning: body(place))
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
    package func submit(_ job: @escaping @Sendable (_ place: Int) -> Void) -> Bool {
        enqueue { turn in
            if case .began(let place) = turn { job(place) }
        }
    }

    /// Queues `job`, which is called once: at its start, or when it can't be begun any more.
    ///
    /// A job with a deadline needs a pool that keeps deadlines; one that waits then is told on that
    /// pool's clock thread, a few milliseconds late at most. Returns whether there was room; if not,
    /// `job` is not called.
    package func enqueue(
        for key: Int = 0,
        before deadline: ContinuousClock.Instant? = nil,
        _ job: @escaping @Sendable (WorkerTurn) -> Void
    ) -> Bool {
        queue.change { queue in
            let due = queue.nextDeadline
            guard queue.add(TurnQueue.Job(deadline: deadline, body: job), for: key) else {
                return false
            }
            // Rarely: deadlines mostly come in order, and the clock knows the first already. Set
            // with the queue's lock held, so that what the clock is told is never older.
            if queue.nextDeadline != due {
                clock.change { $0.due = queue.nextDeadline }
            }
            return true
        }
    }

    /// Takes no more jobs, runs those that wait, and returns when the threads have ended.
    ///
    /// `discardsWaiting`: those that wait are not run; a caller of `run` gets `WorkerPoolFull`.
    /// Once.
    package func close(discardsWaiting: Bool = false) {
        let discarded = queue.change(wakesAll: true) { $0.close(discardsWaiting: discardsWaiting) }
        for job in discarded { job.body(.discarded) }
        for thread in threads {
            thread.join()
        }
        clock.change { $0.isClosed = true }
        clockThread?.join()
    }

    private static func work(on queue: ThreadSignal<TurnQueue>) {
        enum Next {
            case start(TurnQueue.Start)
            case end
        }
        var ended: TurnQueue.Start?
        while true {
            let next: Next = queue.wait { queue in
                if let start = ended { queue.end(start) }
                ended = nil
                if let start = queue.take() { return .start(start) }
                // While one of its key runs a job may wait that has no turn: that thread takes it.
                return queue.isClosed ? .end : nil
            }
            switch next {
            case .start(let start):
                start.body(.began(place: start.place))
                ended = start
            case .end: return
            }
        }
    }

    private static func keepTime(of queue: ThreadSignal<TurnQueue>, by clock: ThreadSignal<Clock>) {
        enum Next {
            case due(ContinuousClock.Instant)
            case end
        }
        while true {
            let next: Next = clock.wait { $0.isClosed ? .end : $0.due.map { .due($0) } }
            guard case .due(let due) = next else { return }
            let span = (due - ContinuousClock.now).clampedNanoseconds
            let isInterrupted = clock.wait(
                untilNanoseconds: LoopTime.monotonicNow() &+ span
            ) { $0.isClosed || $0.due != due ? true : nil }
            if isInterrupted == true { continue }
            // `wait` looks without waking a worker.
            let late: [TurnQueue.Job] = queue.wait { queue in
                let late = queue.takeLate(at: ContinuousClock.now)
                clock.change { $0.due = queue.nextDeadline }
                return late
            }
            for job in late { job.body(.late) }
        }
    }
}
