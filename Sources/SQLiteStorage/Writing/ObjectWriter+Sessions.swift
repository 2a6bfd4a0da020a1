import HatoWire
import ObjectModel

/// Sessions: opened, closed, ended by a password change or by time.
extension ObjectWriter {
    func openSession(_ userID: Text, _ session: NewSession, _ provenHash: Text) throws -> Outcome {
        guard let users = state.directory[.user],
            let row = try accounts.row(id: userID, in: users),
            let account = try accounts.account(row: row),
            account.passwordHash == provenHash
        else { throw DomainError(.wrongPassword) }
        try insert(session, of: account.object)
        return .signedIn(account, isNew: false)
    }

    func closeSession(_ tokenHash: [UInt8]) throws -> Outcome {
        statements.deleteSession.bind(1, blob: tokenHash)
        try statements.deleteSession.run()
        return .done
    }

    func insert(_ session: NewSession, of user: StoredObject) throws {
        let moment = stamp()
        let (expires, isPast) = moment.millisecondsSinceEpoch
            .addingReportingOverflow(session.lifetimeMilliseconds)
        let insert = statements.insertSession
        insert.bind(1, blob: session.tokenHash)
        insert.bind(2, user.row)
        insert.bind(3, user.id)
        insert.bind(4, Text(session.kind.rawValue))
        insert.bind(5, moment)
        insert.bind(6, isPast ? Int64.max : expires)
        try insert.run()
    }

    /// Ends all sessions of the user in this row but one.
    func endSessions(of row: Int64, except kept: [UInt8]?) throws {
        statements.deleteOtherSessions.bind(1, row)
        statements.deleteOtherSessions.bind(2, blob: kept ?? [])
        try statements.deleteOtherSessions.run()
    }
}
