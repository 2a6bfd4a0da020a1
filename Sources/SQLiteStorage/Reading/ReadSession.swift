import HatoWire
import ObjectModel
import SQLStorage

/// A read connection with the statements of point reads, and its transaction.
final class ReadSession {
    let accounts: AccountLookup
    /// The classes as of the transaction.
    private(set) var directory = ClassDirectory()

    private let connection: SQLiteConnection
    private let beginStatement: SQLiteStatement
    private let commitStatement: SQLiteStatement
    private let object: SQLiteStatement
    private let session: SQLiteStatement
    private var isReading = false
    private var commitNumber: UInt64 = 0

    init(_ snapshot: StoreSnapshot) throws(SQLiteFailure) {
        connection = try SQLiteConnection(path: snapshot.path, role: .loopReader)
        accounts = try AccountLookup(connection)
        beginStatement = try connection.prepare("BEGIN")
        commitStatement = try connection.prepare("COMMIT")
        object = try connection.prepare(
            "SELECT row, id, created, updated, acl, doc FROM object WHERE class = ?1 AND id = ?2"
        )
        session = try connection.prepare(
            "SELECT user_id, kind, expires FROM session WHERE token_hash = ?1"
        )
    }

    /// Begins a transaction, unless one is open that saw the last commit that anyone was told of.
    ///
    /// Returns whether none was open before.
    func begin(notBefore snapshot: StoreSnapshot) throws(SQLiteFailure) -> Bool {
        let latest = snapshot.commitNumber
        let wasReading = isReading
        if isReading {
            if commitNumber == latest { return false }
            try end()
        }
        try beginStatement.run()
        isReading = true
        commitNumber = latest
        directory = snapshot.directory
        return !wasReading
    }

    /// Runs reads of the open transaction; after an error of the disk the session must not be used.
    func mapped<Result>(_ reads: () throws -> Result) throws -> Result {
        try connection.mapped(reads)
    }

    func end() throws(SQLiteFailure) {
        guard isReading else { return }
        isReading = false
        try commitStatement.run()
    }

    /// Appends the object's JSON, if the policy lets it be read.
    func append(
        _ id: Text,
        in record: ClassRecord,
        _ policy: AccessPolicy,
        isUser: Bool,
        to output: inout [UInt8]
    ) throws(SQLiteFailure) -> ReadOutcome {
        object.bind(1, record.rows.classNumber)
        object.bind(2, id)
        guard try object.step() else {
            object.reset()
            return .missing
        }
        defer { object.reset() }
        let acl = ACL(canonical: object.bytes(4))
        guard policy.mayRead(acl) else { return .forbidden }
        object.appendJSON(to: &output)
        if isUser {
            try accounts.appendPrivateFields(of: object.integer(0), id, policy, to: &output)
        }
        return .found
    }

    func session(tokenHash: [UInt8], now: Timestamp) throws(SQLiteFailure) -> SessionRecord? {
        session.bind(1, blob: tokenHash)
        let record = try session.first { columns in
            NewSession.Kind(rawValue: columns.text(1).string).map { kind in
                SessionRecord(userID: columns.text(0), kind: kind, expires: columns.timestamp(2))
            }
        }
        guard let record = record ?? nil, record.expires > now else { return nil }
        return record
    }
}
