package import EventLoops

/// The threads that all applications' stores share.
package final class StoreThreads: Sendable {
    /// One thread each; an application stays with one of them.
    private let writers: [WorkerPool]
    let lists: WorkerPool
    let turns: LoopTurns?

    /// `turns` nil: each point read is a transaction of its own.
    package init(limits: StoreLimits, turns: LoopTurns?) throws(LoopFailure) {
        var writers: [WorkerPool] = []
        for index in 0..<max(limits.writerThreads, 1) {
            // An application has at most one call of its own and one of its closing queued.
            let pool = try WorkerPool(name: "writer-\(index)", threads: 1, queueLimit: .max)
            writers.append(pool)
        }
        self.writers = writers
        self.lists = try WorkerPool(
            name: "list",
            threads: limits.listThreads,
            queueLimit: limits.listQueue
        )
        self.turns = turns
    }

    func writer(_ usage: StoreUsage) -> WorkerPool {
        writers[usage.number % writers.count]
    }

    /// Ends the lists, then the writers, each after what was queued.
    func close() {
        lists.close()
        for writer in writers { writer.close() }
    }
}
