import EventLoops
package import HatoWire
package import ObjectModel
package import SQLStorage
import Synchronization

/// One application's objects in one SQLite file.
///
/// Writes queue up for the application's writer thread, which commits all that came while the last
/// commit ran in one transaction. Point reads run on the loops' own connections, lists on a pool's.
/// The connections of an idle application are closed and opened again by its next use.
///
/// Invariant of `@unchecked Sendable`: `writer`, `toldSequence`, `mustSync`, `tendedCommit` and `useClock` are
/// touched on the writer thread only (before the store is shared, and after that thread has ended, by its owner).
package final class SQLiteStore: ObjectStore, @unchecked Sendable {
    private let environment: StoreEnvironment
    private let limits: StoreLimits
    private let threads: StoreThreads
    private let snapshot: StoreSnapshot
    private let queue: WriteQueue
    private let onChange: @Sendable ([Change]) -> Void
    private let usage: StoreUsage
    private let readers = Guarded<[SQLiteReader?]>([])
    private let lists: [ListReader]
    private let advisor: IndexAdvisor
    private let uses = IndexUses()
    private let inspector: StoreInspector
    /// Whether a job of that kind waits for the writer thread: a stuck thread collects no more of them.
    private let isTending = Atomic<Bool>(false)
    private let isHibernating = Atomic<Bool>(false)
    private let isBuilding = Atomic<Bool>(false)

    private var writer: ObjectWriter?
    private var toldSequence: Int64
    private var mustSync = false
    /// The commits that `tend` last saw.
    private var tendedCommit: UInt64 = 0
    private var useClock: UseClock

    /// Opens the file; a new application's is made.
    ///
    /// Errors: `unavailable`.
    init(
        path: String,
        creating: Bool,
        environment: StoreEnvironment,
        limits: StoreLimits,
        threads: StoreThreads,
        usage: StoreUsage,
        onChange: @escaping @Sendable ([Change]) -> Void
    ) throws(DomainError) {
        let writer = try ObjectFile.open(
            path,
            creating: creating,
            environment: environment,
            limits: limits
        )
        self.environment = environment
        self.limits = limits
        self.threads = threads
        self.usage = usage
        self.onChange = onChange
        self.writer = writer
        self.toldSequence = writer.state.sequence
        self.useClock = UseClock(environment, limits)
        self.queue = WriteQueue(limit: limits.writerQueue)
        let snapshot = StoreSnapshot(path: path, writer.state.directory)
        self.snapshot = snapshot
        let advisor = IndexAdvisor(limits)
        self.advisor = advisor
        self.inspector = StoreInspector(
            snapshot: snapshot,
            limits: limits,
            threads: threads,
            advisor: advisor,
            uses: uses,
            now: environment.now
        )
        let uses = uses
        let slowLists = SlowLists()
        self.lists = threads.lists.places.map { place in
            ListReader(
                snapshot,
                limits: limits,
                advisor: advisor,
                uses: uses,
                slowLists: slowLists,
                cacheBytes: limits.listCacheBytes / (usage.number + 1) / (place.isSlow ? 2 : 1),
                answers: threads.answers,
                onWay: environment.listing,
                onOpening: { usage.noteOpening() }
            )
        }
        usage.noteOpening()
    }

    /// Transactions that were committed since the store was opened.
    package var commitCount: UInt64 { snapshot.commitNumber }

    /// Mutations that wait for the writer.
    package var queuedCount: Int { queue.count }

    package func commit(_ mutation: Mutation) async throws(DomainError) -> Outcome {
        let order = try WriteOrder(mutation, limits: limits.documents)
        let result: Result<Outcome, DomainError> = await withUnsafeContinuation { waiter in
            switch queue.add(PendingWrite(order: order, waiter: waiter)) {
            case .queued: break
            case .first: callWriter()
            case .full:
                let refusal = DomainError(.unavailable, cause: "the writer's queue is full")
                waiter.resume(returning: .failure(refusal))
            case .closed:
                waiter.resume(returning: .failure(SQLiteStore.closing))
            }
        }
        return try result.get()
    }

    package func reader(onLoop index: Int) throws(DomainError) -> any ObjectReader {
        readers.withLock { readers in
            while readers.count <= index { readers.append(nil) }
            if let reader = readers[index] { return reader }
            let usage = usage
            let reader = SQLiteReader(loop: index, snapshot, turns: threads.turns) {
                usage.noteOpening()
            }
            readers[index] = reader
            return reader
        }
    }

    package func list(
        _ query: Query,
        in envelope: ListEnvelope,
        as principal: Principal
    ) async throws(DomainError) -> ObjectList {
        let lists = lists
        let threads = threads
        let deadline = ContinuousClock.now + limits.listDeadline
        let cancellation = ListCancellation()
        let isUnwanted: @Sendable () -> Bool = { threads.isStopping || cancellation.isCancelled }
        let mayGiveWay: @Sendable () -> Bool = { threads.lists.isQuickLaneWanted }
        let answer = await withTaskCancellationHandler {
            await threads.lists.run(of: usage.number, before: deadline) { place in
                lists[place.index].answer(
                    query,
                    in: envelope,
                    as: principal,
                    before: deadline,
                    mayGiveWay: place.isSlow ? nil : mayGiveWay,
                    unless: isUnwanted
                )
            }
        } onCancel: {
            cancellation.cancel()
        }
        for (className, path) in advisor.takeAdvice() {
            // Nobody waits for it.
            Task {
                do {
                    _ = try await commit(.makeIndex(className, path))
                } catch {
                    advisor.withdraw(className, path)
                }
            }
        }
        return try answer.get()
    }

    package func settings(of className: ClassName) -> ClassSettings {
        snapshot.directory[className]?.settings ?? ClassSettings()
    }

    package func classes() async throws(DomainError) -> [ClassSummary] {
        try await inspector.classes()
    }

    package func report(of className: ClassName) async throws(DomainError) -> ClassReport? {
        try await inspector.report(of: className)
    }

    package func verify(
        telling tell: @escaping @Sendable (Text) -> Void
    ) async throws(DomainError) -> [Text] {
        try await inspector.verify(telling: tell)
    }

    /// Says whether the store makes indexes by itself; any thread.
    func setMakesIndexes(_ isOn: Bool) {
        advisor.setOn(isOn)
    }

    /// The indexes of a class that are in use or being built.
    package func indexes(of className: ClassName) -> [FieldIndex] {
        snapshot.directory[className]?.indexes ?? []
    }

    /// The filters of a class that had to look at many documents, the most expensive first.
    func slowFilters(of className: ClassName) -> [SlowFilter] {
        advisor.slowFilters(of: className)
    }

    var path: String { snapshot.path }

    /// Takes no more writes; those that wait are still done.
    func beginClosing() {
        queue.close()
    }

    /// Closes every connection; after the threads have ended.
    func close() {
        for reader in readers.withLock({ $0 }) { reader?.close() }
        for list in lists { list.close() }
        if !uses.current.isEmpty { writeUses() }
        closeWriter()
    }

    /// Prunes and checkpoints what a pause leaves to do, on the writer thread.
    func tend() {
        guard !isTending.exchange(true, ordering: .relaxed) else { return }
        let commits = snapshot.commitNumber
        _ = threads.writer(usage).submit { _ in
            self.isTending.store(false, ordering: .relaxed)
            let isPaused = self.tendedCommit == commits && self.queue.isIdle
            self.tendedCommit = commits
            if self.useClock.isDue { self.writeUses() }
            guard isPaused, self.writer != nil else { return self.buildOn() }
            self.tidy(checkpointPages: self.limits.idleCheckpointPages)
        }
    }

    /// Closes the connections if nobody uses them, on the writer thread, then calls `next`.
    func hibernate(then next: @escaping @Sendable () -> Void) {
        guard !isHibernating.exchange(true, ordering: .relaxed) else { return next() }
        let isQueued = threads.writer(usage).submit { _ in
            self.isHibernating.store(false, ordering: .relaxed)
            self.closeIfIdle()
            next()
        }
        if !isQueued { usage.noteUse() }
    }

    private static let closing = DomainError(.unavailable, cause: "the store is closing")

    // MARK: On the writer thread

    private func callWriter() {
        let isQueued = threads.writer(usage).submit { _ in self.write() }
        guard !isQueued else { return }
        for write in queue.take(limits.writerQueue) {
            write.waiter.resume(returning: .failure(SQLiteStore.closing))
        }
        _ = queue.needsAnotherCall()
    }

    private func write() {
        repeat {
            let writes = queue.take(limits.transactionMutations)
            let orders = writes.map(\.order)
            let results = commit(orders[...])
            for (write, result) in zip(writes, results) { write.waiter.resume(returning: result) }
            tidy(checkpointPages: limits.checkpointPages)
            guard queue.needsAnotherCall() else { return }
            // Other applications have their turn between; when closing, what waits is done here.
        } while !threads.writer(usage).submit { _ in self.write() }
    }

    private func closeIfIdle() {
        guard queue.isIdle else { return }
        // First: a connection that a loop opens from here on is counted again.
        usage.noteClosing()
        guard lists.allSatisfy({ $0.closeIfIdle() }) else { return usage.noteStillOpen() }
        for reader in readers.withLock({ $0 }) { reader?.close() }
        closeWriter()
    }

    /// Commits the orders and tells the changes; one result for each.
    private func commit(_ orders: ArraySlice<WriteOrder>) -> [Result<Outcome, DomainError>] {
        let failure: any Error
        var mayBeDurable = false
        do {
            let writer = try openWriter()
            defer { mayBeDurable = writer.hasFailedInCommit }
            let results = try writer.apply(orders)
            tell(writer)
            return results
        } catch {
            failure = error
        }
        reopen(after: failure)
        let isPoisoned = (failure as? SQLiteFailure).map { !$0.isStorageTrouble } ?? false
        // One order that the database refuses must not take the others with it.
        if isPoisoned, !mayBeDurable, orders.count > 1 {
            return orders.indices.flatMap { commit(orders[$0...$0]) }
        }
        let code: DomainError.Code = isPoisoned ? .system : .unavailable
        let refusal = DomainError(code, cause: "\(failure)")
        return orders.map { _ in .failure(refusal) }
    }

    private func tell(_ writer: ObjectWriter) {
        snapshot.commit(writer.state.directory)
        toldSequence = writer.state.sequence
        if !writer.changes.isEmpty { onChange(writer.changes) }
    }

    private func openWriter() throws -> ObjectWriter {
        if let writer { return writer }
        let opened = try ObjectFile.open(snapshot.path, environment: environment, limits: limits)
        let hasUntold = opened.state.sequence > toldSequence
        // After a failed sync nobody knows what of the log is on the disk: write it all again.
        if mustSync || hasUntold {
            guard try opened.connection.checkpoint(everything: true) else {
                throw DomainError(.unavailable, cause: "readers hold the log after a failed sync")
            }
            mustSync = false
        }
        // What the failed commit did write after all is told now; it may be a class alone.
        if hasUntold { opened.changes = try opened.changes(after: toldSequence) }
        usage.noteOpening()
        writer = opened
        tell(opened)
        return opened
    }

    private func reopen(after failure: any Error) {
        if let failure = failure as? SQLiteFailure, failure.isSyncFailure { mustSync = true }
        writer = nil
        do {
            _ = try openWriter()
        } catch {
            // The next write tries again, and answers for itself.
            writer = nil
        }
    }

    /// Checkpoints and prunes, after the waiters have their answers, until a write waits.
    private func tidy(checkpointPages: Int) {
        do {
            try prune(checkpointPages: checkpointPages)
        } catch {
            return reopen(after: error)
        }
        buildOn()
    }

    private func prune(checkpointPages: Int) throws {
        guard let writer else { return }
        var isDone = false
        repeat {
            isDone = try writer.upkeep()
            try writer.checkpoint(from: checkpointPages)
        } while !isDone && queue.isQuiet
    }

    /// Has indexes built on as long as nobody writes, a step a job: other applications have their
    /// turn between.
    ///
    /// Where writes follow each other closely their transactions take the building along.
    private func buildOn() {
        guard let writer, writer.hasIndexWork, !writer.isBusy, queue.isQuiet,
            !isBuilding.exchange(true, ordering: .relaxed)
        else { return }
        let isQueued = threads.writer(usage).submit { _ in
            self.isBuilding.store(false, ordering: .relaxed)
            do {
                if try !self.buildStep() { self.buildOn() }
            } catch {
                self.reopen(after: error)
            }
        }
        if !isQueued { isBuilding.store(false, ordering: .relaxed) }
    }

    /// Returns whether nothing is left to build, or somebody writes.
    private func buildStep() throws -> Bool {
        guard let writer, queue.isQuiet else { return true }
        let isDone = try writer.buildStep(for: limits.buildStep)
        try writer.checkpoint(from: limits.checkpointPages)
        snapshot.commit(writer.state.directory)
        return isDone
    }

    /// Writes down which indexes are used, and gives up those that are not; a file that nobody uses stays closed.
    private func writeUses() {
        let used = uses.current
        guard writer != nil || !used.isEmpty else { return }
        useClock.noteWriting()
        do {
            let writer = try openWriter()
            let unused = try writer.mindIndexes(used: used, watchedSince: useClock.watchedSince)
            uses.forget(used)
            snapshot.commit(writer.state.directory)
            for (className, path) in unused { advisor.withdraw(className, path) }
        } catch {
            reopen(after: error)
        }
    }

    private func closeWriter() {
        // What can't be copied into the file now is found in its log at the next start.
        _ = try? writer?.connection.checkpoint(everything: true)
        writer = nil
    }
}
