import CSQLite
import Glibc
import HatoWire
import ObjectModel
import SQLStorage

/// Looks the objects of known rows up in one statement, whose pages were asked for while the rows were
/// collected: in a large file each lies in no cache, and SQLite alone waits for one after the other.
///
/// What is read ahead decides nothing: the statement finds what its transaction sees.
final class DescentsAhead {
    /// Rows that it takes at most.
    static var rowLimit: Int { Int(HATO_AHEAD_ROWS) }

    /// Zeros that take no memory until a large file is met; freed also when the rest cannot be made.
    private final class Memory {
        let state: UnsafeMutablePointer<hato_ahead>

        init() throws(SQLiteFailure) {
            guard let room = calloc(1, MemoryLayout<hato_ahead>.size) else {
                throw SQLiteFailure(code: SQLITE_NOMEM, message: "no memory to read ahead with")
            }
            state = room.bindMemory(to: hato_ahead.self, capacity: 1)
        }

        deinit {
            free(state)
        }
    }

    private let memory: Memory
    private var state: UnsafeMutablePointer<hato_ahead> { memory.state }
    private let connection: SQLiteConnection
    private let objects: SQLiteStatement
    private let root: UInt32

    /// `connection` must not outlive it, and must have the function `hato_append`.
    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        memory = try Memory()
        let code = hato_ahead_register(memory.state, connection.handle)
        guard code == SQLITE_OK else { throw SQLiteFailure(connection.handle, code: code) }
        root = try UInt32(
            truncatingIfNeeded: connection.prepare(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'object'"
            ).first { $0.integer(0) } ?? 0
        )
        objects = try connection.prepare(
            """
            SELECT 1 FROM hato_page AS page CROSS JOIN object AS o ON o.row = page.row
            WHERE hato_append(o.id, o.created, o.updated, o.acl, o.doc)
            """
        )
    }

    /// Begins a page, inside a transaction; false when the file has fewer bytes than that, or its map
    /// does not show the whole of it.
    func begin(fileBytes: Int) -> Bool {
        hato_ahead_begin(state, connection.handle, root, Int64(fileBytes)) != 0
    }

    func end() {
        hato_ahead_end(state)
    }

    /// Takes the rows that a statement gives, at most `rowLimit`.
    func collect(_ rows: SQLiteStatement) throws(SQLiteFailure) {
        defer { rows.reset() }
        while try rows.step(), hato_ahead_add(state, rows.integer(0)) != 0 {}
    }

    /// Runs `hato_append` on the rows' objects, in the order of the rows.
    func append() throws(SQLiteFailure) {
        defer { objects.reset() }
        while try objects.step() {}
    }
}
