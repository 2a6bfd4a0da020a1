import CSQLite
import HatoWire
import SQLStorage

/// A prepared statement: bind, step, read columns, reset.
///
/// Used by the thread that uses its connection. Parameters count from 1, columns from 0.
final class SQLiteStatement {
    let handle: OpaquePointer
    private let connection: OpaquePointer
    /// What the first parameter that SQLite did not take was refused with: `step` throws it, or
    /// the statement would run with the value of its last caller.
    private var bindCode = SQLITE_OK

    init(_ handle: OpaquePointer, of connection: OpaquePointer) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    // MARK: Parameters

    func bind(_ index: Int32, _ value: Int64) {
        note(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    func bindNull(_ index: Int32) {
        note(sqlite3_bind_null(handle, index))
    }

    /// Binds text; SQLite keeps a copy.
    func bind(_ index: Int32, _ value: Text) {
        var string = value.string
        string.withUTF8 { utf8 in
            note(
                hato_sqlite_bind_text(handle, index, utf8.baseAddress, Int32(clamping: utf8.count))
            )
        }
    }

    func bind(_ index: Int32, _ value: Text?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    /// Binds UTF-8 bytes as text; SQLite keeps a copy.
    func bind(_ index: Int32, utf8: [UInt8]) {
        utf8.withUnsafeBytes { bytes in
            note(
                hato_sqlite_bind_text(
                    handle,
                    index,
                    bytes.baseAddress,
                    Int32(clamping: bytes.count)
                )
            )
        }
    }

    /// Binds a blob; SQLite keeps a copy.
    func bind(_ index: Int32, blob: [UInt8]) {
        blob.withUnsafeBytes { bytes in
            note(
                hato_sqlite_bind_blob(
                    handle,
                    index,
                    bytes.baseAddress,
                    Int32(clamping: bytes.count)
                )
            )
        }
    }

    /// Binds the values of a compiled statement.
    func bind(_ values: [SQLValue]) {
        for (index, value) in values.enumerated() {
            switch value {
            case .integer(let number): bind(Int32(index + 1), number)
            case .text(let text): bind(Int32(index + 1), text)
            case .blob(let bytes): bind(Int32(index + 1), blob: bytes)
            }
        }
    }

    private func note(_ code: Int32) {
        if bindCode == SQLITE_OK { bindCode = code }
    }

    // MARK: Running

    /// Goes on to the next row; false at the end.
    ///
    /// The statement must be reset afterwards.
    func step() throws(SQLiteFailure) -> Bool {
        guard bindCode == SQLITE_OK else {
            let code = bindCode
            bindCode = SQLITE_OK
            sqlite3_reset(handle)
            throw SQLiteFailure(
                code: code,
                message: "parameter: \(String(cString: sqlite3_errstr(code)))"
            )
        }
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let failure = SQLiteFailure(connection, code: code)
            sqlite3_reset(handle)
            throw failure
        }
    }

    func reset() {
        sqlite3_reset(handle)
    }

    /// Runs a statement that returns no rows, and resets it.
    func run() throws(SQLiteFailure) {
        while try step() {}
        sqlite3_reset(handle)
    }

    // MARK: Columns

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// Lends the column's bytes, which SQLite owns until the next step or reset.
    @inline(__always)
    func withBytes<Result>(
        _ column: Int32,
        _ body: (UnsafeBufferPointer<UInt8>) -> Result
    )
        -> Result
    {
        guard let start = sqlite3_column_blob(handle, column) else {
            return body(UnsafeBufferPointer(start: nil, count: 0))
        }
        let count = Int(sqlite3_column_bytes(handle, column))
        return start.withMemoryRebound(to: UInt8.self, capacity: count) {
            body(UnsafeBufferPointer(start: $0, count: count))
        }
    }

    func byteCount(_ column: Int32) -> Int {
        Int(sqlite3_column_bytes(handle, column))
    }

    func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    func text(_ column: Int32) -> Text {
        withBytes(column) { Text(utf8: $0) }
    }

    func optionalText(_ column: Int32) -> Text? {
        isNull(column) ? nil : text(column)
    }
}
