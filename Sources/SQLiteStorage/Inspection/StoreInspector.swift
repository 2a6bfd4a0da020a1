import EventLoops
import HatoWire
import ObjectModel
import SQLStorage

/// Answers what the operator asks about a store, on the threads of the slow lists.
struct StoreInspector: Sendable {
    let snapshot: StoreSnapshot
    let limits: StoreLimits
    let threads: StoreThreads
    let advisor: IndexAdvisor
    let uses: IndexUses
    let now: @Sendable () -> Timestamp

    /// Returns the classes by name.
    func classes() async throws(DomainError) -> [ClassSummary] {
        let directory = snapshot.directory
        return try await run(before: ContinuousClock.now + limits.listDeadline) { session in
            var summaries: [ClassSummary] = []
            let reporter = try ClassReporter(session.connection, limits)
            try directory.forEach { name, record in
                let count = try reporter.objectCount(record)
                summaries.append(
                    ClassSummary(
                        name: name,
                        objectCount: count,
                        failedIndexes: record.failedIndexes.map(\.path.text).sorted()
                    )
                )
            }
            return summaries.sorted { $0.name.text < $1.name.text }
        }
    }

    /// Returns nil when there is no such class.
    func report(of className: ClassName) async throws(DomainError) -> ClassReport? {
        // Taken before the transaction begins, as lists do.
        guard var record = snapshot.directory[className] else { return nil }
        let used = uses.current
        for place in record.indexes.indices where used.contains(record.indexes[place].number) {
            record.indexes[place].lastUsed = now()
        }
        let known = record
        let limits = limits
        let start = ContinuousClock.now
        var report = try await run(before: start + limits.listDeadline) { session in
            try session.inTransaction { connection in
                // Half of the time for counting, so that a report says less rather than nothing.
                try ClassReporter(connection, limits).report(known) {
                    ContinuousClock.now - start < limits.listDeadline / 2
                }
            }
        }
        report.slowFilters = advisor.slowFilters(of: className).map { filter in
            ClassReport.SlowFilter(
                shape: filter.shape,
                count: filter.lists,
                duration: filter.duration,
                examinedRows: filter.examinedRows
            )
        }
        return report
    }

    func step<Result: Sendable>(
        _ body: @escaping @Sendable (InspectionSession) throws -> Result
    ) async throws(DomainError) -> Result {
        try await run(before: nil, body)
    }

    /// Runs one job of the pool until the deadline, or until the server stops.
    private func run<Answer: Sendable>(
        before deadline: ContinuousClock.Instant?,
        _ body: @escaping @Sendable (InspectionSession) throws -> Answer
    ) async throws(DomainError) -> Answer {
        let path = snapshot.path
        let threads = threads
        let answer = await threads.lists.runForOperator { () -> Result<Answer, DomainError> in
            do {
                let session = try InspectionSession(path: path) {
                    threads.isStopping || deadline.map { ContinuousClock.now >= $0 } == true
                }
                return .success(try body(session))
            } catch let error as DomainError {
                return .failure(error)
            } catch {
                return .failure(DomainError(.unavailable, cause: "\(error)"))
            }
        }
        return try answer.get()
    }
}
