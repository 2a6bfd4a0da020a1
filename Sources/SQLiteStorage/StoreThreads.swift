package import EventLoops
import Synchronization
package import Telemetry

/// The threads that all applications' stores share.
package final class StoreThreads: Sendable {
    /// One thread each; an application stays with one of them.
    private let writers: [WorkerPool]
    let lists: ListLanes
    let answers: ByteBudget
    private let stopsLists = Atomic(false)
    let turns: LoopTurns?

    /// Starts the threads; `answers` is what long lists take their room of.
    ///
    /// `turns` nil: each point read is a transaction of its own.
    package init(
        limits: StoreLimits,
        turns: LoopTurns?,
        answers: ByteBudget = ByteBudget(limit: .max)
    ) throws(LoopFailure) {
        var writers: [WorkerPool] = []
        for index in 0..<max(limits.writerThreads, 1) {
            // An application has at most five jobs queued: to write, to tend, to build indexes, to
            // close its files and to open them. What it has to write waits in a queue of its own, with a limit.
            let pool = try WorkerPool(name: "writer-\(index)", threads: 1, queueLimit: .max)
            writers.append(pool)
        }
        self.writers = writers
        self.lists = try ListLanes(limits)
        self.answers = answers
        self.turns = turns
    }

    /// Whether running lists shall end; looked at many times a millisecond.
    var isStopping: Bool { stopsLists.load(ordering: .acquiring) }

    /// Opens applications that are used before they are open.
    var opener: WorkerPool { writers[0] }

    func writer(_ usage: StoreUsage) -> WorkerPool {
        writers[usage.number % writers.count]
    }

    /// Ends the lists, those that run too, then the writers after what was queued.
    ///
    /// A list is only a question: nobody loses when it is asked again, and a stop must not wait.
    func close() {
        stopsLists.store(true, ordering: .releasing)
        lists.close()
        for writer in writers { writer.close() }
    }
}
