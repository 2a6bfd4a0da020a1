import CSQLite

/// What SQLite answered when a call did not succeed.
struct SQLiteFailure: Error, Sendable, CustomStringConvertible {
    /// SQLite's extended result code.
    let code: Int32
    /// SQLite's own text, for the log: it names tables and files, never values.
    let message: String

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    init(_ connection: OpaquePointer?, code: Int32) {
        self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
        self.message = String(cString: sqlite3_errmsg(connection))
    }

    private var primaryCode: Int32 { code & 0xFF }

    /// Whether the disk or its quota refused: the same statement may work later.
    var isStorageTrouble: Bool {
        switch primaryCode {
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_BUSY,
            SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_PROTOCOL:
            true
        default: false
        }
    }

    /// Whether a sync failed, after which what was written before may not be on the disk.
    var isSyncFailure: Bool {
        code == SQLITE_IOERR | (4 << 8) || code == SQLITE_IOERR | (5 << 8)
    }

    var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }
    /// Whether the statement was ended from within: by a function or by the handler that asks for time.
    var isStop: Bool { primaryCode == SQLITE_ABORT || isInterrupt }
    var isInterrupt: Bool { primaryCode == SQLITE_INTERRUPT }

    var description: String { "SQLite \(code): \(message)" }
}
