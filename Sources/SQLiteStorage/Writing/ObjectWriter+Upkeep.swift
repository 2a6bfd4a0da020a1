import HatoWire
import ObjectModel

/// What must not grow for ever: expired sessions and old before-images, removed in small steps.
extension ObjectWriter {
    /// Rows of each kind that one step removes at least.
    static let stepRows: Int64 = 500
    /// Before-images whose logging makes a step due: one more sync for so many.
    static let slackRows: Int64 = 1_000
    private static let pauseMilliseconds: Int64 = 60_000

    /// Removes a step's worth, if it is time; in a transaction of its own.
    ///
    /// A step removes twice what was logged since the last one, so that under lasting load there
    /// are never more than `changeLogRows`, `slackRows` and one transaction's before-images.
    ///
    /// Returns whether nothing is left to remove, or it is not time.
    func upkeep() throws -> Bool {
        let moment = environment.now()
        guard isUpkeepDue(at: moment) else { return true }
        let age = Int64(limits.changeLogAge / .milliseconds(1))
        let rows = max(ObjectWriter.stepRows, 2 * loggedSinceUpkeep)
        try connection.execute("BEGIN IMMEDIATE")
        do {
            statements.expireSessions.bind(1, moment)
            statements.expireSessions.bind(2, rows)
            try statements.expireSessions.run()
            var removed = connection.changedRows
            statements.pruneChanges.bind(1, moment.millisecondsSinceEpoch - age)
            statements.pruneChanges.bind(2, state.sequence - limits.changeLogRows)
            statements.pruneChanges.bind(3, rows)
            try statements.pruneChanges.run()
            removed = max(removed, connection.changedRows)
            try connection.execute("COMMIT")
            let isDone = removed < Int(rows)
            lastUpkeep = isDone ? moment : nil
            loggedSinceUpkeep = 0
            return isDone
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Whatever way the clock has jumped: a pause is over when it shows another time.
    private func isUpkeepDue(at moment: Timestamp) -> Bool {
        guard let lastUpkeep, loggedSinceUpkeep < ObjectWriter.slackRows else { return true }
        let pause = moment.millisecondsSinceEpoch - lastUpkeep.millisecondsSinceEpoch
        return abs(pause) >= ObjectWriter.pauseMilliseconds
    }

    /// Copies the write-ahead log into the file when it has `pages` or more.
    func checkpoint(from pages: Int) throws {
        guard connection.writeAheadPages >= pages else { return }
        _ = try connection.checkpoint()
    }
}
