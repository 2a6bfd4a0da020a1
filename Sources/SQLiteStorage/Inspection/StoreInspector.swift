import EventLoops
import HatoWire
import ObjectModel
import SQLStorage

/// Answers what the operator asks about a store, on the pool of the lists.
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

    /// Returns a sentence for each thing that is wrong.
    func verify() async throws(DomainError) -> [Text] {
        var complaints = try await fileComplaints()
        // What a damaged file says about its objects is worth nothing.
        guard complaints.isEmpty else { return bounded(complaints) }
        try await checkAccess(&complaints)
        try await checkIndexes(&complaints)
        return bounded(complaints)
    }

    private func bounded(_ complaints: [Text]) -> [Text] {
        guard complaints.count > limits.checkComplaints else { return complaints }
        return complaints.prefix(limits.checkComplaints) + ["there is more"]
    }

    private func fileComplaints() async throws(DomainError) -> [Text] {
        let wholeLimit = limits.wholeCheckBytes
        let parts = try await step { session in
            try FileCheck(session.connection).parts(wholeLimit: wholeLimit)
        }
        var complaints: [Text] = []
        for part in parts {
            complaints += try await step { session in
                try FileCheck(session.connection).complaints(about: part)
            }
        }
        return complaints
    }

    /// Compares flags and grants with the access lists, slice by slice.
    private func checkAccess(_ complaints: inout [Text]) async throws(DomainError) {
        let directory = snapshot.directory
        let slice = limits.checkSlice
        try await inSlices(from: 0, &complaints) { connection, after in
            try AccessCheck(connection, directory).objects(after: after, limit: slice)
        }
        try await inSlices(from: AccessCheck.Grant.first, &complaints) { connection, after in
            try AccessCheck(connection, directory).grants(after: after, limit: slice)
        }
    }

    /// Compares the indexes with the documents, slice by slice.
    private func checkIndexes(_ complaints: inout [Text]) async throws(DomainError) {
        let slice = limits.checkSlice
        let subjects = try await step { try IndexCheck($0.connection).subjects() }
        for subject in subjects {
            let first = subject.rows.first - 1
            try await inSlices(from: first, &complaints) { connection, after in
                try IndexCheck(connection).objects(of: subject, after: after, limit: slice)
            }
            try await inSlices(from: IndexCheck.Key.first, &complaints) { connection, after in
                try IndexCheck(connection).keys(of: subject, after: after, limit: slice)
            }
        }
        guard complaints.count <= limits.checkComplaints else { return }
        complaints += try await step { session in
            try session.inTransaction { try IndexCheck($0).strayKeys() }
        }
    }

    /// Goes on from `first`, a slice in each read transaction, to the end or until there are too many
    /// complaints.
    private func inSlices<Place: Sendable>(
        from first: Place,
        _ complaints: inout [Text],
        _ slice:
            @escaping @Sendable (SQLiteConnection, _ after: Place) throws -> CheckPart<Place>
    ) async throws(DomainError) {
        var place: Place? = first
        while let after = place, complaints.count <= limits.checkComplaints {
            let part = try await step { session in
                try session.inTransaction { try slice($0, after) }
            }
            complaints += part.complaints
            place = part.last
        }
    }

    private func step<Result: Sendable>(
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
        let answer: Result<Answer, DomainError>
        do {
            answer = try await threads.lists.run { _ in
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
        } catch {
            throw DomainError(.unavailable, cause: "the queue for lists is full")
        }
        return try answer.get()
    }
}
