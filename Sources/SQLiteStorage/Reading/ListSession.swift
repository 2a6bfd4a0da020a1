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

    /// Documents that the last list looked at, to match or to sort.
    var examinedRows: Int { functions.examinedRows }
    private let accounts: AccountLookup
    private let beginStatement: SQLiteStatement
    private let endStatement: SQLiteStatement
    private let indexState: SQLiteStatement
    private let creation: CreationSearch
    private var isOver: () -> Bool = { false }

    init(_ snapshot: StoreSnapshot) throws(SQLiteFailure) {
        connection = try SQLiteConnection(path: snapshot.path, role: .reader)
        try functions.register(on: connection)
        accounts = try AccountLookup(connection)
        beginStatement = try connection.prepare("BEGIN")
        endStatement = try connection.prepare("COMMIT")
        creation = try CreationSearch(connection)
        indexState = try connection.prepare(
            """
            SELECT state = 0 AND built = 9223372036854775807,
                EXISTS (SELECT 1 FROM field_key WHERE field = ?1 AND kind = 1)
            FROM field_index WHERE number = ?1
            """
        )
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
        try beginStatement.run()
        defer { try? endStatement.run() }
        let compiler = ListCompiler(
            SQLiteDialect(),
            rows: record.rows,
            scope: policy.readScope,
            isFiltered: !query.filter.isTrivial,
            order: ListOrder(query.order),
            scanned: try creation.rows(of: query.filter, in: record.rows)
        )
        do {
            return try answer(query, in: envelope, of: record, policy, compiler, limits)
        } catch {
            throw functions.failure ?? error
        }
    }

    private func answer(
        _ query: Query,
        in envelope: ListEnvelope,
        of record: ClassRecord,
        _ policy: AccessPolicy,
        _ compiler: ListCompiler<SQLiteDialect>,
        _ limits: StoreLimits
    ) throws -> ObjectList {
        let planner = ListPlanner(compiler, query, number: number, hasElements: hasElements)
        let plan = try planner.plan(record.indexes)
        var list = ObjectList(json: [], count: nil)
        if query.wantsCount { list.count = try number(compiler.count(plan.count)) }
        envelope.open(list.count, &list.json)
        try append(query, plan.page, compiler, policy, limits, to: &list.json)
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

    /// Whether an index has keys of elements; nil when this transaction does not see it whole.
    private func hasElements(_ index: FieldIndex) throws -> Bool? {
        indexState.bind(1, index.number)
        let answer = try indexState.first { ($0.integer(0) == 1, $0.integer(1) == 1) }
        guard let (isWhole, hasElements) = answer, isWhole else { return nil }
        return hasElements
    }

    private func number(_ sql: CompiledSQL) throws -> Int {
        Int(try prepared(sql).first { $0.integer(0) } ?? 0)
    }

    private func prepared(_ sql: CompiledSQL) throws(SQLiteFailure) -> SQLiteStatement {
        let statement = try connection.cached(sql.text)
        for (index, value) in sql.values.enumerated() {
            switch value {
            case .integer(let number): statement.bind(Int32(index + 1), number)
            case .text(let text): statement.bind(Int32(index + 1), text)
            case .blob(let bytes): statement.bind(Int32(index + 1), blob: bytes)
            }
        }
        return statement
    }
}
