import HatoWire
import ObjectModel
import SQLStorage

/// The one writer of an application's file: applies mutations, many to a transaction.
///
/// A mutation checks all it can be refused for before it writes, so a refusal leaves nothing behind
/// but, at most, the empty class that it named, and there are no savepoints. What the database
/// itself refuses ends the whole transaction.
///
/// Used on the application's writer thread only.
final class ObjectWriter {
    /// What lives beside the database and must follow its transactions.
    struct State {
        /// The number of the latest change.
        var sequence: Int64
        /// The latest stamp; none is earlier.
        var latest: Timestamp
        var directory: ClassDirectory
    }

    let connection: SQLiteConnection
    let statements: WriterStatements
    let indexStatements: IndexStatements
    let environment: StoreEnvironment
    let limits: StoreLimits
    var state: State
    /// The changes of the running transaction.
    var changes: [Change] = []
    /// When the last step of `upkeep` was; nil: none yet, or there is more to remove.
    var lastUpkeep: Timestamp?
    /// Before-images that were logged since the last step of `upkeep`.
    var loggedSinceUpkeep: Int64 = 0
    /// Whether the last transaction failed in its commit: only the reopened file tells its end.
    private(set) var hasFailedInCommit = false
    /// When the last transaction that wrote objects was over.
    private var lastWrite: ContinuousClock.Instant?
    /// Writes that follow each other more closely than this have the building done along with them.
    private static let busyGap = Duration.milliseconds(20)
    /// Whether objects were written just now: a step of building must not keep the next ones waiting.
    var isBusy: Bool {
        lastWrite.map { ContinuousClock.now - $0 < ObjectWriter.busyGap } ?? false
    }
    /// Whether keys of indexes that were given up may be left.
    var hasAbandonedKeys = true
    /// What is done of the index that is being built, beyond what the file says.
    var buildRun: BuildRun?
    /// By index number.
    var keyReaders: [Int64: FieldKeyReader] = [:]
    var generator: StoreGenerator
    let accounts: AccountLookup

    private var lastCommitSpan = Duration.zero
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement

    init(
        _ connection: SQLiteConnection,
        state: State,
        environment: StoreEnvironment,
        limits: StoreLimits
    ) throws(SQLiteFailure) {
        self.connection = connection
        self.statements = try WriterStatements(connection)
        self.indexStatements = try IndexStatements(connection)
        self.accounts = try AccountLookup(connection)
        self.generator = StoreGenerator(environment)
        self.begin = try connection.prepare("BEGIN IMMEDIATE")
        self.commit = try connection.prepare("COMMIT")
        self.environment = environment
        self.limits = limits
        self.state = state
    }

    /// Applies the orders in one transaction and returns what became of each.
    ///
    /// Throws when the transaction failed: then none took effect, unless the failure was in the very
    /// commit, whose end only the reopened file tells.
    func apply(_ orders: ArraySlice<WriteOrder>) throws -> [Result<Outcome, DomainError>] {
        let before = state
        changes.removeAll(keepingCapacity: true)
        hasFailedInCommit = false
        do {
            let start = ContinuousClock.now
            try begin.run()
            var results: [Result<Outcome, DomainError>] = []
            results.reserveCapacity(orders.count)
            for order in orders {
                do {
                    results.append(.success(try outcome(of: order)))
                } catch let refusal as DomainError {
                    results.append(.failure(refusal))
                }
            }
            if hasIndexWork { try build(for: buildingSpan(since: start)) }
            try environment.fail(.beforeCommit)
            hasFailedInCommit = true
            try environment.fail(.inCommit)
            let end = ContinuousClock.now
            try commit.run()
            lastCommitSpan = ContinuousClock.now - end
            try environment.fail(.afterCommit)
            hasFailedInCommit = false
            if !changes.isEmpty { lastWrite = ContinuousClock.now }
            return results
        } catch {
            state = before
            buildRun = nil
            changes.removeAll()
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private func buildingSpan(since start: ContinuousClock.Instant) -> Duration {
        ObjectWriter.buildingSpan(
            worked: ContinuousClock.now - start + lastCommitSpan,
            pause: lastWrite.map { start - $0 },
            limit: limits.buildStep
        )
    }

    /// How long a transaction may build indexes: an eighth of what its writes and a commit take, so that
    /// writes keep most of their rate; or, where they come slowly, a quarter of the pause before them,
    /// up to a step's.
    static func buildingSpan(worked: Duration, pause: Duration?, limit: Duration) -> Duration {
        max(worked / 8, min((pause ?? .zero) / 4, limit))
    }

    /// Returns the moment that the next change is stamped with.
    func stamp() -> Timestamp {
        state.latest = max(state.latest, environment.now())
        return state.latest
    }

    func nextSequence() -> Int64 {
        state.sequence += 1
        return state.sequence
    }

    private func outcome(of order: WriteOrder) throws -> Outcome {
        switch order.mutation {
        case .create(let className, _, _, let principal):
            try create(className, order.document, order.access, by: principal)
        case .update(let className, let id, let changes, _, let principal):
            try update(className, id, changes, order.access, by: principal)
        case .delete(let className, let id, let principal):
            try delete(className, id, by: principal)
        case .signUp(let signUp):
            .signedIn(try self.signUp(signUp), isNew: true)
        case .signUpOrIn(let signUp, let provider, let providerID):
            try signUpOrIn(signUp, provider: provider, providerID: providerID)
        case .updateUser(let update):
            try updateUser(update)
        case .deleteUser(let id, let principal):
            try deleteUser(id, by: principal)
        case .openSession(let userID, let session, let provenHash):
            try openSession(userID, session, provenHash)
        case .closeSession(let tokenHash):
            try closeSession(tokenHash)
        case .configureClass(let className, let settings):
            try configure(className, settings)
        case .setIndexes(let className, let added, let removed):
            try setIndexes(className, added: added, removed: removed)
        case .makeIndex(let className, let path):
            try makeIndex(className, path)
        }
    }
}
