import CSQLite

/// A read connection for one question of the operator's.
///
/// Opened for the question and closed after it: such questions are rare, and an idle application
/// keeps no files open for them.
final class InspectionSession {
    /// Steps of SQLite's machine between two looks at the clock: some tens of microseconds.
    private static let stepsBetweenLooks: Int32 = 2_000

    let connection: SQLiteConnection
    private let isOver: () -> Bool

    /// What runs ends with an interrupt once `isOver` says so.
    init(path: String, isOver: @escaping () -> Bool) throws(SQLiteFailure) {
        self.isOver = isOver
        connection = try SQLiteConnection(path: path, role: .reader)
        sqlite3_progress_handler(
            connection.handle,
            InspectionSession.stepsBetweenLooks,
            { context in
                guard let context else { return 0 }
                let session = Unmanaged<InspectionSession>.fromOpaque(context).takeUnretainedValue()
                return session.isOver() ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    deinit {
        sqlite3_progress_handler(connection.handle, 0, nil, nil)
    }

    /// Runs `body` in one read transaction.
    func inTransaction<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try connection.execute("BEGIN")
        defer { try? connection.execute("COMMIT") }
        return try body(connection)
    }
}
