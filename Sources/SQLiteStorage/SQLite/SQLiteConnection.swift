import CLinux
import CSQLite
import SQLStorage

/// One connection to one database file.
///
/// Exactly one connection per file writes and checkpoints (SQLite before 3.51.3 can lose committed
/// rows when two do); every other one is opened read-only. A connection is opened without SQLite's
/// mutexes: one thread at a time uses it, its owner sees to that.
final class SQLiteConnection {
    enum Role {
        case writer
        /// A pool thread's: waits when another connection opens or closes the file.
        case reader
        /// A loop's: never waits, it answers `unavailable`.
        case loopReader

        fileprivate var busyTimeoutMilliseconds: Int32 { self == .loopReader ? 0 : 5_000 }
    }

    /// Statements that are kept for texts made at run time; the constant ones are their owner's.
    static let cachedStatementLimit = 64

    let handle: OpaquePointer
    let path: String
    private var cache: [CompiledSQL.Shape: SQLiteStatement] = [:]
    private let walPages: UnsafeMutablePointer<Int32>
    private var isMapped = false

    /// Opens the file, which the writer's owner has created.
    init(path: String, role: Role) throws(SQLiteFailure) {
        SQLiteLibrary.start()
        let access = role == .writer ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            let failure = SQLiteFailure(opened, code: code)
            sqlite3_close_v2(opened)
            throw failure
        }
        self.handle = opened
        self.path = path
        self.walPages = .allocate(capacity: 1)
        walPages.initialize(to: 0)
        sqlite3_extended_result_codes(opened, 1)
        sqlite3_busy_timeout(opened, role.busyTimeoutMilliseconds)
        switch role {
        case .writer: try prepareForWriting()
        case .reader, .loopReader: try prepareForReading()
        }
    }

    deinit {
        cache.removeAll()
        // Statements that somebody still holds keep the connection half open until they go.
        sqlite3_close_v2(handle)
        walPages.deallocate()
    }

    /// The pages in the write-ahead log after the last commit, 0 when all are in the file since.
    ///
    /// Counted on the writer only.
    var writeAheadPages: Int { Int(walPages.pointee) }

    /// Whether a transaction is open: SQLite ends one by itself when the disk is full.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Rows that the last statement changed.
    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// Prepares a statement of constant text; keep it.
    func prepare(_ sql: StaticString) throws(SQLiteFailure) -> SQLiteStatement {
        try prepare(text: sql.description)
    }

    /// Returns the statement that the query compiler made, prepared once, with its values bound.
    func cached(_ sql: CompiledSQL) throws(SQLiteFailure) -> SQLiteStatement {
        if let known = cache[sql.shape] {
            known.bind(sql.values)
            return known
        }
        let made = try prepare(text: sql.text)
        if cache.count >= SQLiteConnection.cachedStatementLimit { cache.removeAll() }
        cache[sql.shape] = made
        made.bind(sql.values)
        return made
    }

    /// Prepares a statement of text made at run time; keep it.
    func prepare(text: String) throws(SQLiteFailure) -> SQLiteStatement {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(handle, text, -1, flags, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw SQLiteFailure(handle, code: code) }
        return SQLiteStatement(statement, of: handle)
    }

    /// Runs statements that take no parameters.
    func execute(_ sql: StaticString) throws(SQLiteFailure) {
        try execute(script: sql.description)
    }

    /// Runs the statements of a migration or a pragma that was put together from our own text.
    func execute(script: String) throws(SQLiteFailure) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteFailure(handle, code: code) }
    }

    /// What SQLite calls for a function of SQL: its context, the count of arguments, the arguments.
    typealias Function =
        @convention(c) (
            OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Void

    /// Makes a function known to this connection's statements, and to no trigger or view.
    ///
    /// `context` must live as long as the connection.
    func register(
        _ name: StaticString,
        _ arguments: Int32,
        _ context: UnsafeMutableRawPointer,
        _ function: Function
    ) throws(SQLiteFailure) {
        let code = sqlite3_create_function_v2(
            handle,
            name.description,
            arguments,
            SQLITE_UTF8 | SQLITE_DIRECTONLY,
            context,
            function,
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw SQLiteFailure(handle, code: code) }
    }

    /// Sets how many bytes of pages are kept, 1 MB at least; they are taken when they are read.
    func setCache(bytes: Int) throws(SQLiteFailure) {
        try execute(script: "PRAGMA cache_size = -\(max(bytes / 1_024, 1_024))")
    }

    /// Copies the write-ahead log into the database file as far as readers allow.
    ///
    /// `everything` waits for readers and starts the log afresh. Returns whether all was copied.
    func checkpoint(everything: Bool = false) throws(SQLiteFailure) -> Bool {
        let mode = everything ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        var logged: Int32 = 0
        var copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &copied)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw SQLiteFailure(handle, code: code) }
        guard logged == copied else { return false }
        walPages.pointee = 0
        return true
    }

    private func prepareForWriting() throws(SQLiteFailure) {
        try execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA cache_size = -16384;
            """
        )
        // Only to count: the owner checkpoints after it has answered its waiters.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.storeBytes(of: pages, as: Int32.self)
                return SQLITE_OK
            },
            walPages
        )
    }

    /// Runs reads through a map of the file, which it opens: all connections share the system's copy of
    /// the pages, and none of them is copied again.
    ///
    /// Throws away what was read when a page cannot be read; the connection must not be used then.
    func mapped<Result>(_ reads: () throws -> Result) throws -> Result {
        if !isMapped {
            hato_prepare_map_faults()
            try execute(script: "PRAGMA mmap_size = \(SQLiteConnection.mapLimit)")
            let code = hato_sqlite_prefetch_leaves(handle)
            guard code == SQLITE_OK else { throw SQLiteFailure(handle, code: code) }
            isMapped = true
        }
        hato_begin_map_reads()
        let result = Swift.Result { try reads() }
        guard hato_end_map_reads() == 0 else {
            throw SQLiteFailure(code: SQLITE_IOERR, message: "a page cannot be read")
        }
        return try result.get()
    }

    /// The most that the library maps of a file; pages beyond are read.
    private static let mapLimit = 0x7FFF_0000

    /// Sorts stay in memory: a list keeps `skip + limit` keys, and no client's data goes into
    /// files outside the data folder.
    private func prepareForReading() throws(SQLiteFailure) {
        hato_sqlite_checkpoint_on_close(handle, 0)
        try execute(
            """
            PRAGMA query_only = ON;
            PRAGMA cache_size = -1024;
            PRAGMA mmap_size = 0;
            PRAGMA temp_store = MEMORY;
            """
        )
    }
}
