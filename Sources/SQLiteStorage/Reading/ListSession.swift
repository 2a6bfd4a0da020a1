import CSQLite
import HatoWire
import ObjectModel
import SQLStorage
import Telemetry

/// A read connection that runs compiled lists.
final class ListSession {
    /// Steps of SQLite's machine between two looks at the clock: some tens of microseconds.
    private static let stepsBetweenLooks: Int32 = 2_000

    private let connection: SQLiteConnection
    let functions = ListFunctions()
    let ahead: DescentsAhead
    let places: PlaceSearch
    let objectByRow: SQLiteStatement

    /// Documents that the last list looked at, to match or to sort.
    var examinedRows: Int { functions.examinedRows }
    private let accounts: AccountLookup
    private let beginStatement: SQLiteStatement
    private let endStatement: SQLiteStatement
    private let indexState: SQLiteStatement
    private let creation: CreationSearch
    private var isOver: () -> Bool = { false }
    /// How long the next answer may be, by the last one: room that is made once need not grow.
    private var expectedBytes = 0
    private static let expectedBytesLimit = AnswerRoom.shortBytes
    /// By class number: whether everybody sees many of its objects, and until when that is believed.
    private var publicity: [Int64: (isWide: Bool, end: ContinuousClock.Instant)] = [:]
    private static let publicityLimit = 1_000

    private let answers: ByteBudget
    /// What the answer under way has taken of them.
    private var room: AnswerRoom
    /// Whether there was no room for the last list.
    private(set) var hasLackedRoom = false
    private let uses: IndexUses
    private var toldUses = IndexUses.Told()
    /// Nil but in tests.
    private let onWay: (@Sendable (ListWay) -> Void)?

    /// `cacheBytes`: of pages that the connection keeps.
    init(
        _ snapshot: StoreSnapshot,
        cacheBytes: Int,
        answers: ByteBudget,
        uses: IndexUses,
        onWay: (@Sendable (ListWay) -> Void)?
    ) throws(SQLiteFailure) {
        self.answers = answers
        self.room = AnswerRoom(of: answers, limit: 0)
        self.uses = uses
        self.onWay = onWay
        connection = try SQLiteConnection(path: snapshot.path, role: .reader)
        try connection.setCache(bytes: cacheBytes)
        try functions.register(on: connection)
        ahead = try DescentsAhead(connection)
        accounts = try AccountLookup(connection)
        beginStatement = try connection.prepare("BEGIN")
        endStatement = try connection.prepare("COMMIT")
        places = try PlaceSearch(connection)
        objectByRow = try connection.prepare(
            """
            SELECT row, id, created, updated, acl, doc, public_read FROM object WHERE row = ?1
            """
        )
        creation = try CreationSearch(connection)
        indexState = try connection.prepare(
            """
            SELECT state = 0 AND built = 9223372036854775807,
                EXISTS (SELECT 1 FROM field_key WHERE field = ?1 AND kind = 1)
            FROM field_index WHERE number = ?1 AND class = ?2 AND field = ?3
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
        _ request: ListRequest,
        in envelope: ListEnvelope,
        isOver: @escaping @Sendable () -> Bool
    ) throws -> ObjectList {
        self.isOver = isOver
        room = AnswerRoom(of: answers, limit: request.limits.listBytes)
        functions.begin(request.query, request.policy, isOver: isOver)
        try beginStatement.run()
        let result = Result { try connection.mapped { try answer(request, in: envelope) } }
        functions.end()
        // What is kept here would be held until the next list.
        hasLackedRoom = room.isRefused
        room = AnswerRoom(of: answers, limit: 0)
        // The end is no part of the list: a client that has left must not keep it from ending.
        self.isOver = { false }
        do {
            try endStatement.run()
        } catch {
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
        }
        switch result {
        case .success(let list): return list
        case .failure(let error):
            // What the functions say explains why a statement was stopped. Any other trouble is the
            // connection's own, which must not be used again.
            guard (error as? SQLiteFailure)?.isStop != false else { throw error }
            throw functions.failure ?? error
        }
    }

    private func answer(
        _ request: ListRequest,
        in envelope: ListEnvelope
    ) throws -> ObjectList {
        let query = request.query
        let compiler = ListCompiler(
            SQLiteDialect(),
            query,
            rows: request.record.rows,
            scope: request.policy.readScope,
            output: request.isOfUsers ? .columns : .appended,
            hasNeedle: functions.hasNeedle,
            scanned: try creation.rows(of: query.filter, in: request.record.rows)
        )
        let classNumber = request.record.rows.classNumber
        let planner = ListPlanner(
            compiler,
            query,
            request.limits.planner,
            number: number,
            hasElements: { try self.hasElements($0, ofClass: classNumber) },
            seesMany: { try self.seesMany(compiler, request) },
            everybodySeesMany: { try self.everybodySeesMany(compiler, request) }
        )
        var list = ObjectList(json: [], count: nil)
        list.json.reserveCapacity(expectedBytes)
        defer { expectedBytes = min(list.json.count + 256, ListSession.expectedBytesLimit) }
        let indexes = request.record.indexes
        if let walk = try planner.placeWalk(indexes), var page = try page(walk, request) {
            note(.place(walk))
            if query.wantsCount { list.count = page.count }
            // In front of the objects: a second array for all would be as long again.
            var start: [UInt8] = []
            envelope.open(list.count, &start)
            guard room.make(start.count, in: &page.json) else { throw DomainError.noAnswerRoom }
            page.json.insert(contentsOf: start, at: 0)
            swap(&list.json, &page.json)
        } else {
            let plan = try planner.plan(indexes)
            note(.rows(plan.page))
            if query.wantsCount { note(.rows(plan.count)) }
            if query.wantsCount { list.count = try number(compiler.count(plan.count)) }
            envelope.open(list.count, &list.json)
            if try !appendAhead(plan.page, compiler, request, &list) {
                let page = compiler.page(plan.page, limit: query.limit, skip: query.skip)
                try append(page, request, &list)
            }
        }
        envelope.close(&list.json)
        list.room = room.reservation(for: list.json)
        return list
    }

    private func note(_ way: ListWay) {
        onWay?(way)
        if let index = way.index { uses.note(index, &toldUses) }
    }

    /// Appends the objects of one page whose rows are known first, of a large file; false when it is no
    /// such page.
    private func appendAhead(
        _ walk: ListCompiler<SQLiteDialect>.Walk,
        _ compiler: ListCompiler<SQLiteDialect>,
        _ request: ListRequest,
        _ list: inout ObjectList
    ) throws -> Bool {
        let query = request.query
        guard case .keys(let keys) = walk, compiler.knowsRows(keys), !request.isOfUsers,
            query.limit > 0, query.limit <= DescentsAhead.rowLimit,
            ahead.begin(fileBytes: request.limits.aheadBytes)
        else { return false }
        defer { ahead.end() }
        let rows = compiler.pageRows(keys, limit: query.limit, skip: query.skip)
        try ahead.collect(try connection.cached(rows))
        let limit = request.limits.listBytes
        try functions.appending(to: &list.json, in: &room, limit: limit) {
            try ahead.append()
        }
        return true
    }

    /// Appends the objects of one page.
    private func append(
        _ sql: CompiledSQL,
        _ request: ListRequest,
        _ list: inout ObjectList
    ) throws {
        guard request.query.limit > 0 else { return }
        let page = try connection.cached(sql)
        defer { page.reset() }
        if request.isOfUsers {
            let start = list.json.count
            while try page.step() { try append(page, request, startingAt: start, to: &list.json) }
        } else {
            let limit = request.limits.listBytes
            try functions.appending(to: &list.json, in: &room, limit: limit) {
                while try page.step() {}
            }
        }
    }

    /// Appends the object in the statement's row, behind a comma unless it is the first.
    func append(
        _ object: SQLiteStatement,
        _ request: ListRequest,
        startingAt start: Int,
        to json: inout [UInt8]
    ) throws {
        let count = object.byteCount(4) + object.byteCount(5) + AnswerRoom.fieldBytes
        guard room.make(count, in: &json) else { throw DomainError.noAnswerRoom }
        if json.count > start { json.append(0x2C) }
        object.appendJSON(to: &json)
        if request.isOfUsers {
            try accounts.appendPrivateFields(
                of: object.integer(0),
                object.text(1),
                request.policy,
                to: &json
            )
            guard room.make(0, in: &json) else { throw DomainError.noAnswerRoom }
        }
        guard json.count - start <= request.limits.listBytes else {
            throw DomainError.listTooLong
        }
    }

    /// Ends the list when its time is over, where SQLite does not look by itself.
    func checkTime() throws {
        if isOver() { throw SQLiteFailure(code: SQLITE_INTERRUPT, message: "interrupted") }
    }

    /// Whether an index has keys of elements; nil when this transaction does not see it whole.
    ///
    /// Numbers are used again: what had this one when the class was looked up may be another's now.
    private func hasElements(
        _ index: FieldIndex,
        ofClass classNumber: Int64
    ) throws -> Bool? {
        indexState.bind(1, index.number)
        indexState.bind(2, classNumber)
        indexState.bind(3, index.path.text)
        let answer = try indexState.first { ($0.integer(0) == 1, $0.integer(1) == 1) }
        guard let (isWhole, hasElements) = answer, isWhole else { return nil }
        return hasElements
    }

    private func seesMany(
        _ compiler: ListCompiler<SQLiteDialect>,
        _ request: ListRequest
    ) throws -> Bool {
        if try everybodySeesMany(compiler, request) { return true }
        let limit = request.limits.planner.visibleRows
        guard let probe = compiler.probeVisible(upTo: limit + 1) else { return true }
        return try number(probe) > limit
    }

    /// Whether so many objects are public that nobody's visible ones are few.
    private func everybodySeesMany(
        _ compiler: ListCompiler<SQLiteDialect>,
        _ request: ListRequest
    ) throws -> Bool {
        if request.policy.readScope == .everything { return true }
        let now = ContinuousClock.now
        let classNumber = request.record.rows.classNumber
        if let known = publicity[classNumber], now < known.end { return known.isWide }
        let limit = request.limits.planner.visibleRows
        let isWide = try number(compiler.probePublic(upTo: limit + 1)) > limit
        if publicity.count >= ListSession.publicityLimit { publicity.removeAll() }
        publicity[classNumber] = (isWide, now + request.limits.planner.visibilityMemory)
        return isWide
    }

    private func number(_ sql: CompiledSQL) throws -> Int {
        Int(try connection.cached(sql).first { $0.integer(0) } ?? 0)
    }
}

extension DomainError {
    /// The objects are too many bytes for one answer.
    static var listTooLong: DomainError { DomainError(.invalidValue, "limit") }
}
