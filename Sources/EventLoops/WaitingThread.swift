/// Runs async work on the plain thread that waits for its end; never on a loop.
///
/// The thread itself is the executor of the work: it needs no other thread of the process, which
/// may all be busy.
package final class WaitingThread: TaskExecutor, Sendable {
    private enum Event {
        case job(UnownedJob)
        case end
    }

    private struct State {
        var jobs: [UnownedJob] = []
        var isEnded = false
    }

    private let state = ThreadSignal(State())

    private init() {}

    /// Returns what `body` returns, after the calling thread has run all of it.
    package static func result<Success: Sendable>(
        of body: @escaping @Sendable () async -> Success
    ) -> Success? {
        let thread = WaitingThread()
        let result = Guarded<Success?>(nil)
        Task(executorPreference: thread) {
            let value = await body()
            result.withLock { $0 = value }
            thread.state.change { $0.isEnded = true }
        }
        thread.runJobs()
        return result.withLock { $0 }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.change { $0.jobs.append(job) }
    }

    private func runJobs() {
        while true {
            let event: Event = state.wait { state in
                guard state.jobs.isEmpty else { return .job(state.jobs.removeFirst()) }
                return state.isEnded ? .end : nil
            }
            guard case .job(let job) = event else { return }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
