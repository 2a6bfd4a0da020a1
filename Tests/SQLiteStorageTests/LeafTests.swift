import CSQLite
import HatoTesting
import HatoWire
import Testing

@testable import SQLiteStorage

/// Pages that are asked for ahead: hints, which may cost time and decide nothing.
@Suite("Leaves read ahead")
struct LeafTests {
    private static let pageBytes = HATO_PAGE_BYTES

    private func leaf(cells: Int) -> [UInt8] {
        var page = [UInt8](repeating: 0xFF, count: LeafTests.pageBytes)
        page[0] = UInt8(HATO_TABLE_LEAF)
        page[3] = UInt8(cells >> 8)
        page[4] = UInt8(cells & 0xFF)
        return page
    }

    @Test("have as many cells as they say, up to the limit, and other pages none")
    func cells() {
        let limit = HATO_LEAF_CELL_LIMIT
        for (count, expected) in [
            (0, 0), (1, 1), (limit, limit), (limit + 1, limit), (0xFFFF, limit),
        ] {
            #expect(hato_leaf_cells(leaf(cells: count)) == expected, "\(count)")
        }
        for kind in 0...UInt8.max where Int(kind) != HATO_TABLE_LEAF {
            var page = leaf(cells: 10)
            page[0] = kind
            #expect(hato_leaf_cells(page) == 0, "\(kind)")
        }
    }

    @Test("point at no place outside of the page, whatever their bytes are")
    func garbage() {
        let last = HATO_LEAF_CELL_LIMIT - 1
        var page = leaf(cells: 0xFFFF)
        for high in 0...UInt8.max {
            for low in 0...UInt8.max {
                let place = HATO_LEAF_HEADER_BYTES + 2 * last
                page[place] = high
                page[place + 1] = low
                let offset = Int(hato_leaf_cell(page, Int32(last)))
                #expect(offset == (Int(high) << 8 | Int(low)) % LeafTests.pageBytes)
            }
        }
        hato_prefetch_leaf(page)
    }

    /// The database's bytes a page, and rows enough for two levels of pages.
    private func database(_ folder: TemporaryFolder, pageBytes: Int) throws -> String {
        let path = folder.path(of: "leaves.db")
        try folder.write([], to: "leaves.db")
        let writer = try SQLiteConnection(path: path, role: .writer)
        try writer.execute(script: "PRAGMA journal_mode = DELETE; PRAGMA page_size = \(pageBytes)")
        try writer.execute("VACUUM; PRAGMA journal_mode = WAL")
        try writer.execute("CREATE TABLE item (number INTEGER PRIMARY KEY, filling TEXT)")
        try writer.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO item SELECT i, 'item ' || i FROM n
            """
        )
        #expect(try writer.checkpoint(everything: true))
        // These are read from the log.
        try writer.execute("UPDATE item SET filling = 'new' WHERE number % 1000 = 0")
        return path
    }

    private func methods(_ connection: SQLiteConnection) -> UnsafePointer<sqlite3_io_methods>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(
            connection.handle,
            "main",
            SQLITE_FCNTL_FILE_POINTER,
            &file
        )
        return code == SQLITE_OK ? file?.pointee.pMethods : nil
    }

    @Test("change no answer, at any size of pages", arguments: [512, 4_096, 8_192, 65_536])
    func answers(pageBytes: Int) throws {
        let folder = try TemporaryFolder()
        let path = try database(folder, pageBytes: pageBytes)
        let reader = try SQLiteConnection(path: path, role: .reader)
        let size = try reader.prepare("PRAGMA page_size")
        #expect(try size.first { $0.integer(0) } == Int64(pageBytes))
        let select = try reader.prepare("SELECT filling FROM item WHERE number = ?1")
        func filling(_ number: Int) throws -> String? {
            select.bind(1, Int64(number))
            return try select.first { $0.text(0).string }
        }
        for number in stride(from: 1, through: 20_000, by: 37) {
            let expected = number % 1_000 == 0 ? "new" : "item \(number)"
            #expect(try reader.mapped { try filling(number) } == expected)
        }
        #expect(try reader.mapped { try filling(20_000) } == "new")
        #expect(try reader.mapped { try filling(20_001) } == nil)
    }

    @Test("are asked for by connections that map their file, once")
    func connections() throws {
        let folder = try TemporaryFolder()
        let path = try database(folder, pageBytes: LeafTests.pageBytes)
        let reader = try SQLiteConnection(path: path, role: .reader)
        let plain = try #require(methods(reader))
        try reader.mapped {}
        let wrapped = try #require(methods(reader))
        #expect(wrapped != plain)
        try reader.mapped {}
        #expect(methods(reader) == wrapped)
        let second = try SQLiteConnection(path: path, role: .reader)
        #expect(methods(second) == plain)
    }

    @Test("do not keep a statement from outliving its connection")
    func closing() throws {
        let folder = try TemporaryFolder()
        let path = try database(folder, pageBytes: LeafTests.pageBytes)
        func orphan() throws -> SQLiteStatement {
            let reader = try SQLiteConnection(path: path, role: .reader)
            return try reader.mapped { try reader.prepare("SELECT count(*) FROM item") }
        }
        let count = try orphan()
        #expect(try count.first { $0.integer(0) } == 20_000)
    }
}
