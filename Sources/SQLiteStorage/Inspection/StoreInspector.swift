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

    /// Returns the classes by name.
    func classes() async throws(DomainError) -> [ClassSummary] {
        let directory = snapshot.directory
        return try await run(before: ContinuousClock.now + limits.listDeadline) { session in
            var summaries: [ClassSummary] = []
            let reporter = try ClassReporter(session.connection, limits)
            try directory.forEach { name, record in
                let count = try reporter.objectCount(record)
                summaries.append(ClassSummary(name: name, objectCount: count))
            }
            return summaries.sorted { $0.name.text < $1.name.text }
        }
    }

    /// Returns nil when there is no such class.
    func report(of className: ClassName) async throws(DomainError) -> ClassReport? {
        // Taken before the transaction begins, as lists do.
        guard let record = snapshot.directory[className] else { return nil }
        let limits = limits
        let start = ContinuousClock.now
        var report = try await run(before: start + limits.listDeadline) { session in
            try session.inTransaction { connection in
                // Half of the time for counting, so that a report says less rather than nothing.
                try ClassReporter(connection, limits).report(record) {
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
        var complaints = try await step { session in try FileCheck(session.connection).complaints()
        }
        // What a damaged file says about its objects is worth nothing.
        guard complaints.isEmpty else { return complaints }
        complaints = try await accessComplaints()
        if complaints.count < limits.checkComplaints {
            complaints += try await step { try IndexCheck($0.connection).complaints() }
        }
        guard complaints.count > limits.checkComplaints else { return complaints }
        return complaints.prefix(limits.checkComplaints) + ["there is more"]
    }

    /// Compares flags and grants with the access lists, slice by slice.
    private func accessComplaints() async throws(DomainError) -> [Text] {
        let directory = snapshot.directory
        let slice = limits.checkSlice
        var complaints: [Text] = []
        var object: Int64? = 0
        while let after = object, complaints.count <= limits.checkComplaints {
            let part = try await step { session in
                try session.inTransaction { connection in
                    try AccessCheck(connection, directory).objects(after: after, limit: slice)
                }
            }
            complaints += part.complaints
            object = part.last
        }
        var grant: AccessCheck.Grant? = .first
        while let after = grant, complaints.count <= limits.checkComplaints {
            let part = try await step { session in
                try session.inTransaction { connection in
                    try AccessCheck(connection, directory).grants(after: after, limit: slice)
                }
            }
            complaints += part.complaints
            grant = part.last
        }
        return complaints
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
