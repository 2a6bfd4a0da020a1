import EventLoops
import HatoWire
import ObjectModel

/// Point reads on one loop's own connection, in one transaction a turn.
///
/// The transaction begins at a turn's first read and ends with the turn, or when a commit was told
/// to anyone since: a client that was answered finds its write on every loop.
///
/// Invariant of `@unchecked Sendable`: all variables are touched with `lock` held. One loop uses the
/// reader; the lock is for the writer thread, which closes the connection of an idle application.
final class SQLiteReader: ObjectReader, @unchecked Sendable {
    private let lock = Guarded(())
    private let loop: Int
    private let snapshot: StoreSnapshot
    private let turns: LoopTurns?
    private let onOpening: @Sendable () -> Void
    private var session: ReadSession?

    init(
        loop: Int,
        _ snapshot: StoreSnapshot,
        turns: LoopTurns?,
        onOpening: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.snapshot = snapshot
        self.turns = turns
        self.onOpening = onOpening
    }

    func append(
        _ className: ClassName,
        _ id: Text,
        as principal: Principal,
        to output: inout [UInt8]
    ) throws(DomainError) -> ReadOutcome {
        try read { session in
            guard let record = session.directory[className] else { return .missing }
            let policy = AccessPolicy(principal: principal, settings: record.settings)
            guard policy.isPermitted(.get) else { return .forbidden }
            return try session.append(
                id,
                in: record,
                policy,
                isUser: className == .user,
                to: &output
            )
        }
    }

    func session(tokenHash: [UInt8], now: Timestamp) throws(DomainError) -> SessionRecord? {
        try read { try $0.session(tokenHash: tokenHash, now: now) }
    }

    func account(userName: Text) throws(DomainError) -> UserAccount? {
        try read { session in
            try session.accounts.row(userName: userName).flatMap {
                try session.accounts.account(row: $0)
            }
        }
    }

    func account(id: Text) throws(DomainError) -> UserAccount? {
        try read { session in
            guard let users = session.directory[.user] else { return nil }
            return try session.accounts.row(id: id, in: users).flatMap {
                try session.accounts.account(row: $0)
            }
        }
    }

    func account(mailAddress: Text) throws(DomainError) -> UserAccount? {
        try read { session in
            try session.accounts.row(mailAddress: mailAddress).flatMap {
                try session.accounts.account(row: $0)
            }
        }
    }

    /// Ends the turn's transaction.
    func endTurn() {
        lock.withLock { _ in
            do {
                try session?.end()
            } catch {
                session = nil
            }
        }
    }

    /// Closes the connection; the next read opens it again.
    func close() {
        lock.withLock { _ in session = nil }
    }

    private func read<Result: Sendable>(
        _ body: (ReadSession) throws -> Result
    )
        throws(DomainError) -> Result
    {
        let result: Swift.Result<Result, DomainError> = lock.withLock { _ in
            do {
                let session = try currentSession()
                let result = try session.mapped { try body(session) }
                if turns == nil { try session.end() }
                return .success(result)
            } catch let error as DomainError {
                return .failure(error)
            } catch {
                session = nil
                return .failure(DomainError(.unavailable, cause: "\(error)"))
            }
        }
        return try result.get()
    }

    /// Returns the session inside a transaction that is new enough.
    private func currentSession() throws -> ReadSession {
        let session = try self.session ?? open()
        guard try session.begin(notBefore: snapshot) else { return session }
        if let turns, !turns.add(self, onLoop: loop) {
            throw DomainError(.system, cause: "no such loop")
        }
        return session
    }

    private func open() throws -> ReadSession {
        let opened = try ReadSession(snapshot)
        session = opened
        onOpening()
        return opened
    }
}
