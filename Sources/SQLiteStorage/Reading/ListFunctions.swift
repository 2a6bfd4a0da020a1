import CSQLite
import HatoWire
import ObjectModel

/// What the SQL functions of a list connection ask about the query that runs.
///
/// `hato_contains(doc)`, `hato_matches(id, created, updated, doc)`,
/// `hato_key(id, created, updated, doc)` and `hato_readable(acl)`: the prefilter, the matcher, the sort
/// key and `AccessPolicy`, over the stored bytes. They
/// see no other query: a connection runs one at a time. No call of a function happens inside another's:
/// that is why exclusivity is not checked for what each call touches.
final class ListFunctions {
    @exclusivity(unchecked) fileprivate var matcher = Matcher(.all([]))
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
        self.matcher = Matcher(query.filter)
        self.matcher.stop(when: isOver)
        needle.set(Prefilter(query.filter).needles.max { $0.count < $1.count } ?? [])
        self.sortKey = SortKey(query.order)
        self.policy = policy
        self.matchedRows = 0
        self.needsID = query.filter.asksForID || query.order.contains { $0.path.isID }
    }

    /// Why the query has no answer; its statements end early then.
    var failure: DomainError? { matcher.failure }

    /// Whether the object in the statement's row (row, id, created, updated, acl, doc) matches.
    func matches(_ object: SQLiteStatement) -> Bool {
        matchedRows &+= 1
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
        _ function:
            @convention(c) (
                OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
            ) -> Void
    ) throws(SQLiteFailure) {
        let code = sqlite3_create_function_v2(
            connection.handle,
            name.description,
            arguments,
            SQLITE_UTF8 | SQLITE_DIRECTONLY,
            Unmanaged.passUnretained(self).toOpaque(),
            function,
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw SQLiteFailure(connection.handle, code: code) }
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

extension Filter {
    /// Whether every object matches without a look at it.
    var isTrivial: Bool {
        guard case .all(let parts) = self else { return false }
        return parts.allSatisfy(\.isTrivial)
    }

    /// Whether it looks at the id or a date, which stand beside the document.
    var asksSystemFields: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.asksSystemFields)
        case .field(let path, _): path.isSystemField
        }
    }

    fileprivate var asksForID: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.asksForID)
        case .field(let path, _): path.isID
        }
    }
}

extension FieldPath {
    fileprivate var isID: Bool { components[0] == "objectId" }
}
