import CSQLite
import HatoWire
import ObjectModel
import SQLStorage

/// A read connection that runs compiled lists.
final class ListSession {
    /// Steps of SQLite's machine between two looks at the clock: some tens of microseconds.
    private static let stepsBetweenLooks: Int32 = 2_000

    private let connection: SQLiteConnection
    private let functions = ListFunctions()
    private let accounts: AccountLookup
    private let beginStatement: SQLiteStatement
    private let endStatement: SQLiteStatement
    private var isOver: () -> Bool = { false }

    init(_ snapshot: StoreSnapshot) throws(SQLiteFailure) {
        connection = try SQLiteConnection(path: snapshot.path, role: .reader)
        try functions.register(on: connection)
        accounts = try AccountLookup(connection)
        beginStatement = try connection.prepare("BEGIN")
        endStatement = try connection.prepare("COMMIT")
        sqlite3_progress_handler(
            connection.handle,
            ListSession.stepsBetweenLooks,
            { context in
                guard let context else { return 0 }
                let session = Unmanaged<ListSession>.fromOpaque(context).takeUnretainedValue()
                return session.isOver() ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Lists and counts in one transaction.
    func list(
        _ query: Query,
        in envelope: ListEnvelope,
        of record: ClassRecord,
        _ policy: AccessPolicy,
        limits: StoreLimits,
        isOver: @escaping () -> Bool
    ) throws -> ObjectList {
        self.isOver = isOver
        functions.begin(query, policy)
        let compiler = ListCompiler(
            SQLiteDialect(),
            rows: record.rows,
            scope: policy.readScope,
            isFiltered: !query.filter.isTrivial,
            order: ListOrder(query.order)
        )
        try beginStatement.run()
        defer { try? endStatement.run() }
        let walk = try walk(compiler)
        var list = ObjectList(json: [], count: nil)
        if query.wantsCount { list.count = Int(try number(compiler.count(walk))) }
        envelope.open(list.count, &list.json)
        try append(query, walk, compiler, policy, limits, to: &list.json)
        envelope.close(&list.json)
        return list
    }

    /// Appends the objects of one page, comma-separated.
    private func append(
        _ query: Query,
        _ walk: ListCompiler<SQLiteDialect>.Walk,
        _ compiler: ListCompiler<SQLiteDialect>,
        _ policy: AccessPolicy,
        _ limits: StoreLimits,
        to json: inout [UInt8]
    ) throws {
        guard query.limit > 0 else { return }
        let start = json.count
        let page = try prepared(compiler.page(walk, limit: query.limit, skip: query.skip))
        defer { page.reset() }
        while try page.step() {
            if json.count > start { json.append(0x2C) }
            let id = page.text(1)
            page.appendJSON(id: id, acl: ACL(canonical: page.bytes(4)), to: &json)
            if query.className == .user {
                try accounts.appendPrivateFields(
                    of: page.integer(0),
                    id,
                    policy,
                    to: &json
                )
            }
            guard json.count - start <= limits.listBytes else {
                throw DomainError(.invalidValue, "limit")
            }
        }
    }

    /// The shorter walk: the visible rows when they are few.
    private func walk(
        _ compiler: ListCompiler<SQLiteDialect>
    ) throws
        -> ListCompiler<SQLiteDialect>.Walk
    {
        guard let probe = compiler.probe else { return .scan }
        let visible = try number(probe)
        return visible <= ListCompiler<SQLiteDialect>.probeLimit ? .visible : .scan
    }

    private func number(_ sql: CompiledSQL) throws -> Int64 {
        try prepared(sql).first { $0.integer(0) } ?? 0
    }

    private func prepared(_ sql: CompiledSQL) throws(SQLiteFailure) -> SQLiteStatement {
        let statement = try connection.cached(sql.text)
        for (index, value) in sql.values.enumerated() {
            switch value {
            case .integer(let number): statement.bind(Int32(index + 1), number)
            case .text(let text): statement.bind(Int32(index + 1), text)
            }
        }
        return statement
    }
}
