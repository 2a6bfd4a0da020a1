import CSQLite
import HatoWire
import ObjectModel
import Telemetry

/// What the SQL functions of a list connection ask about the query that runs.
///
/// `hato_contains(doc)`, `hato_matches(id, created, updated, doc)`,
/// `hato_key(id, created, updated, doc)`, `hato_readable(acl)` and
/// `hato_append(id, created, updated, acl, doc)`: the prefilter, the matcher, the sort key,
/// `AccessPolicy` and the answer, over the stored bytes. The last one returns NULL. They
/// see no other query: a connection runs one at a time. No call of a function happens inside another's:
/// that is why exclusivity is not checked for what each call touches.
final class ListFunctions {
    /// Made when the first document is to be matched: where an index decides, none is.
    @exclusivity(unchecked) fileprivate var matcher = Matcher(.all([]))
    @exclusivity(unchecked) private var hasMatcher = false
    private var filter = Filter.all([])
    /// What the matcher of the query that has ended says.
    private var matchFailure: DomainError?
    private var isOver: @Sendable () -> Bool = { false }
    private var isFiltered = false
    /// What every matching document has in it; empty when that is not known.
    private let needle = Needle()

    var hasNeedle: Bool { !needle.isEmpty }
    fileprivate var sortKey = SortKey([])
    fileprivate var policy: AccessPolicy?
    fileprivate var key: [UInt8] = []
    /// Documents that were looked at for the query, to match or to sort.
    var examinedRows: Int { matchedRows + needle.misses }
    @exclusivity(unchecked) fileprivate var matchedRows = 0
    /// Whether filter or order look at the id, which is made into text only then.
    private var needsID = false

    /// Sets the query that the functions are about.
    ///
    /// `isOver` tells whether its answer is not wanted any more.
    func begin(
        _ query: Query,
        _ policy: AccessPolicy,
        isOver: @escaping @Sendable () -> Bool = { false }
    ) {
        self.isFiltered = !query.filter.isTrivial
        self.filter = query.filter
        self.isOver = isOver
        self.hasMatcher = false
        self.matchFailure = nil
        needle.set(Prefilter(query.filter).needles.max { $0.count < $1.count } ?? [])
        self.sortKey = SortKey(query.order)
        self.policy = policy
        self.matchedRows = 0
        self.outputFailure = nil
        self.needsID = query.filter.asksForID || query.order.contains { $0.path.isID }
    }

    /// Lets go of what only the query's run needs; `failure` stays.
    func end() {
        if hasMatcher {
            matchFailure = matcher.failure
            matcher = Matcher(.all([]))
            hasMatcher = false
        }
        filter = .all([])
        isOver = { false }
    }

    @inline(__always)
    fileprivate func prepareMatcher() {
        if !hasMatcher { makeMatcher() }
    }

    private func makeMatcher() {
        matcher = Matcher(filter)
        matcher.stop(when: isOver)
        hasMatcher = true
    }

    /// Why the query has no answer; its statements end early then.
    var failure: DomainError? { (hasMatcher ? matcher.failure : matchFailure) ?? outputFailure }

    /// What `hato_append` appends to, and how much of it the list's objects may be.
    @exclusivity(unchecked) private var output: [UInt8] = []
    @exclusivity(unchecked) private var head = ObjectHead()
    @exclusivity(unchecked) private var room = AnswerRoom(of: ByteBudget(limit: .max), limit: .max)
    private var outputStart = 0
    private var outputLimit = 0
    private var outputFailure: DomainError?

    /// Runs a statement whose rows append their objects to `json`, at most `limit` bytes and as `room` lets
    /// them.
    func appending(
        to json: inout [UInt8],
        in room: inout AnswerRoom,
        limit: Int,
        _ body: () throws -> Void
    ) throws {
        swap(&json, &output)
        swap(&room, &self.room)
        defer {
            swap(&json, &output)
            swap(&room, &self.room)
        }
        outputStart = output.count
        outputLimit = limit
        try body()
    }

    /// Whether the object in the statement's row (row, id, created, updated, acl, doc) matches.
    func matches(_ object: SQLiteStatement) -> Bool {
        matchedRows &+= 1
        prepareMatcher()
        let facts = facts(object)
        return object.withBytes(5) { matcher.matches($0.span, facts) }
    }

    /// The sort key of the object in the statement's row.
    func sortKey(of object: SQLiteStatement) -> [UInt8] {
        let facts = facts(object)
        var key: [UInt8] = []
        object.withBytes(5) { sortKey.append($0.span, facts, to: &key) }
        return key
    }

    private func facts(_ object: SQLiteStatement) -> ObjectFacts {
        ObjectFacts(
            id: needsID ? object.text(1) : "",
            created: object.timestamp(2),
            updated: object.timestamp(3)
        )
    }

    /// Makes the functions known to a connection, which must not outlive this object.
    func register(on connection: SQLiteConnection) throws(SQLiteFailure) {
        try register("hato_matches", 4, on: connection) { context, _, arguments in
            guard let functions = ListFunctions.of(context), let arguments else { return }
            functions.matchedRows &+= 1
            functions.prepareMatcher()
            let facts = functions.facts(arguments)
            let document = ListFunctions.bytes(arguments[3])
            let isMatch = functions.matcher.matches(document.span, facts)
            if functions.failure != nil {
                // Ends the statement: no answer can come of it any more.
                sqlite3_result_error_code(context, SQLITE_ABORT)
            } else {
                sqlite3_result_int(context, isMatch ? 1 : 0)
            }
        }
        try needle.register(on: connection)
        try register("hato_append", 5, on: connection) { context, _, arguments in
            guard let functions = ListFunctions.of(context), let arguments else { return }
            guard functions.append(arguments) else {
                sqlite3_result_error_code(context, SQLITE_ABORT)
                return
            }
        }
        try register("hato_readable", 1, on: connection) { context, _, arguments in
            guard let functions = ListFunctions.of(context), let arguments else { return }
            let acl = ACL(canonical: Array(ListFunctions.bytes(arguments[0])))
            let isReadable = functions.policy?.mayRead(acl) ?? false
            sqlite3_result_int(context, isReadable ? 1 : 0)
        }
        try register("hato_key", 4, on: connection) { context, _, arguments in
            guard let functions = ListFunctions.of(context), let arguments else { return }
            let facts = functions.facts(arguments)
            let document = ListFunctions.bytes(arguments[3])
            functions.matchedRows &+= functions.isFiltered ? 0 : 1
            functions.key.removeAll(keepingCapacity: true)
            functions.sortKey.append(document.span, facts, to: &functions.key)
            functions.key.withUnsafeBytes { bytes in
                hato_sqlite_result_blob(context, bytes.baseAddress, Int32(clamping: bytes.count))
            }
        }
    }

    /// Appends an object (id, created, updated, acl, doc); false when the answer would be too long.
    private func append(_ arguments: UnsafeMutablePointer<OpaquePointer?>) -> Bool {
        let acl = ListFunctions.bytes(arguments[3])
        let document = ListFunctions.bytes(arguments[4])
        guard room.make(acl.count + document.count + AnswerRoom.fieldBytes, in: &output) else {
            outputFailure = .noAnswerRoom
            return false
        }
        if output.count > outputStart { output.append(0x2C) }
        head.append(
            id: ListFunctions.bytes(arguments[0]).span,
            created: ListFunctions.timestamp(arguments[1]),
            updated: ListFunctions.timestamp(arguments[2]),
            acl: acl.span,
            document: document.span,
            to: &output
        )
        guard output.count - outputStart > outputLimit else { return true }
        outputFailure = .listTooLong
        return false
    }

    private func facts(_ arguments: UnsafeMutablePointer<OpaquePointer?>) -> ObjectFacts {
        ObjectFacts(
            id: needsID ? Text(utf8: ListFunctions.bytes(arguments[0])) : "",
            created: ListFunctions.timestamp(arguments[1]),
            updated: ListFunctions.timestamp(arguments[2])
        )
    }

    private func register(
        _ name: StaticString,
        _ arguments: Int32,
        on connection: SQLiteConnection,
        _ function: SQLiteConnection.Function
    ) throws(SQLiteFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try connection.register(name, arguments, context, function)
    }

    private static func of(_ context: OpaquePointer?) -> ListFunctions? {
        sqlite3_user_data(context).map {
            Unmanaged<ListFunctions>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private static func timestamp(_ value: OpaquePointer?) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: sqlite3_value_int64(value))
    }

    /// The argument's bytes, which SQLite owns during the call.
    private static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
        guard let start = sqlite3_value_blob(value) else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        let count = Int(sqlite3_value_bytes(value))
        return UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }
}
