import HatoWire
import ObjectModel

/// What must not grow for ever: expired sessions and old before-images, removed in small steps.
extension ObjectWriter {
    /// Rows that one step removes of each kind.
    private static let stepRows: Int64 = 500
    private static let pauseMilliseconds: Int64 = 60_000

    /// Removes a step's worth, if it is time; in a transaction of its own.
    func upkeep() throws {
        let moment = environment.now()
        guard moment >= nextUpkeep else { return }
        let age = Int64(limits.changeLogAge / .milliseconds(1))
        try connection.execute("BEGIN IMMEDIATE")
        do {
            statements.expireSessions.bind(1, moment)
            statements.expireSessions.bind(2, ObjectWriter.stepRows)
            try statements.expireSessions.run()
            var removed = connection.changedRows
            statements.pruneChanges.bind(1, moment.millisecondsSinceEpoch - age)
            statements.pruneChanges.bind(2, state.sequence - limits.changeLogRows)
            statements.pruneChanges.bind(3, ObjectWriter.stepRows)
            try statements.pruneChanges.run()
            removed = max(removed, connection.changedRows)
            try connection.execute("COMMIT")
            let isDone = removed < Int(ObjectWriter.stepRows)
            nextUpkeep = isDone ? moment.adding(ObjectWriter.pauseMilliseconds) : moment
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Copies the write-ahead log into the file when it has `pages` or more.
    func checkpoint(from pages: Int) throws {
        guard connection.writeAheadPages >= pages else { return }
        _ = try connection.checkpoint()
    }
}

extension Timestamp {
    fileprivate func adding(_ milliseconds: Int64) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: millisecondsSinceEpoch &+ milliseconds)
    }
}
