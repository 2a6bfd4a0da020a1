import CSQLite
import Glibc
import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Telemetry
import Testing

@testable import SQLiteStorage

/// Hints, which may cost time and decide nothing.
@Suite("Descents that run ahead")
struct DescentsAheadTests {
    private let functions = ListFunctions()

    /// A file with objects of one class, every third of them deleted and every fifth newer in the log.
    private func database(_ folder: TemporaryFolder, objects: Int) throws -> SQLiteConnection {
        let path = folder.path(of: "objects.db")
        let now = TestClock().now
        let writer = try ObjectFile.open(
            path,
            creating: true,
            environment: StoreEnvironment(now: { now }, random: { 1 }),
            limits: StoreLimits()
        ).connection
        try writer.execute(
            script: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(objects))
                INSERT INTO object SELECT (1 << 44) + i, 1, 'id' || i, i, i, 1, '{}', '{"n":' || i || '}' FROM n;
                """
        )
        #expect(try writer.checkpoint(everything: true))
        try writer.execute("DELETE FROM object WHERE row % 3 = 0")
        try writer.execute("UPDATE object SET doc = '{\"new\":1}' WHERE row % 5 = 0")
        try writer.execute("INSERT INTO object VALUES (1 << 50, 64, 'far', 1, 1, 1, '{}', '{}')")
        let reader = try SQLiteConnection(path: path, role: .reader)
        try functions.register(on: reader)
        return reader
    }

    @Test(
        "change no answer, for tables of one, two and three levels",
        arguments: [(3, false), (3_000, true), (60_000, true)]
    )
    func answers(objects: Int, runsAhead: Bool) throws {
        let folder = try TemporaryFolder()
        let reader = try database(folder, objects: objects)
        let ahead = try DescentsAhead(reader)
        let rows = try reader.prepare(
            """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
            SELECT CASE i % 50 WHEN 7 THEN 1 << 50 WHEN 8 THEN -i WHEN 9 THEN i
                ELSE (1 << 44) + ?2 + i * ?3 END FROM n
            """
        )
        let begin = try reader.prepare("BEGIN")
        let end = try reader.prepare("COMMIT")
        func answer(_ count: Int, from: Int, by step: Int, fileBytes: Int) throws -> String {
            var json: [UInt8] = []
            var room = AnswerRoom(of: ByteBudget(limit: .max), limit: 1 << 30)
            functions.begin(
                Query(className: .chat),
                AccessPolicy(principal: .administrator, settings: ClassSettings())
            )
            try begin.run()
            try reader.mapped {
                #expect(ahead.begin(fileBytes: fileBytes) == (fileBytes == 0 && runsAhead))
                defer { ahead.end() }
                rows.bind(1, Int64(count))
                rows.bind(2, Int64(from))
                rows.bind(3, Int64(step))
                try ahead.collect(rows)
                try functions.appending(to: &json, in: &room, limit: 1 << 30) {
                    try ahead.append()
                }
            }
            try end.run()
            return String(decoding: json, as: UTF8.self)
        }
        let limit = DescentsAhead.rowLimit
        for count in [1, 2, 100, limit - 1, limit, limit + 1] {
            for (from, step) in [(1, 1), (objects, -1), (1, objects / 100 + 1), (objects, -59)] {
                let plain = try answer(count, from: from, by: step, fileBytes: .max)
                let hinted = try answer(count, from: from, by: step, fileBytes: 0)
                #expect(hinted == plain, "\(count) from \(from) by \(step)")
                #expect(count < 10 || plain.contains("\"far\""))
            }
        }
    }

    @Test(
        "need as large a file as the limit says, and give back a map in which there is nothing to ask for"
    )
    func beginning() throws {
        let folder = try TemporaryFolder()
        let reader = try database(folder, objects: 3)
        let ahead = try DescentsAhead(reader)
        func begins(_ fileBytes: Int) throws -> Bool {
            try reader.execute("BEGIN")
            defer { try? reader.execute("COMMIT") }
            return try reader.mapped {
                _ = try reader.prepare("SELECT count(*) FROM class").first { $0.integer(0) }
                let begins = ahead.begin(fileBytes: fileBytes)
                if begins { ahead.end() }
                return begins
            }
        }
        #expect(try !begins(0))
        // Had it kept the map, SQLite could make none of the file as it is from here on.
        let writer = try SQLiteConnection(path: folder.path(of: "objects.db"), role: .writer)
        try writer.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
            INSERT INTO object SELECT (1 << 44) + i, 1, 'id' || i, i, i, 1, '{}', '{}' FROM n;
            """
        )
        #expect(try writer.checkpoint(everything: true))
        #expect(try begins(0))
        var status = stat()
        #expect(stat(folder.path(of: "objects.db"), &status) == 0)
        #expect(try begins(Int(status.st_size)))
        #expect(try !begins(Int(status.st_size) + 1))
    }

    @Test("read nothing outside of the map, whatever its bytes are")
    func garbage() throws {
        let pageBytes = HATO_PAGE_BYTES
        let pages = 12
        let bytes = pages * pageBytes
        let room = mmap(
            nil,
            bytes + 2 * pageBytes,
            PROT_NONE,
            MAP_PRIVATE | MAP_ANONYMOUS,
            -1,
            0
        )
        let start = try #require(room == MAP_FAILED ? nil : room)
        defer { munmap(start, bytes + 2 * pageBytes) }
        // What lies before and behind it ends the process.
        #expect(mprotect(start + pageBytes, bytes, PROT_READ | PROT_WRITE) == 0)
        let map = (start + pageBytes).bindMemory(to: UInt8.self, capacity: bytes)
        let state = UnsafeMutablePointer<hato_ahead>.allocate(capacity: 1)
        defer { state.deallocate() }
        UnsafeMutableRawPointer(state).initializeMemory(
            as: UInt8.self,
            repeating: 0,
            count: MemoryLayout<hato_ahead>.size
        )
        var random = SeededGenerator(seed: 5)
        var begun = 0
        for round in 0..<150 {
            for place in 0..<bytes {
                map[place] =
                    round % 3 == 0 ? 0xFF : UInt8(truncatingIfNeeded: random.next() as UInt64)
            }
            for page in 0..<pages {
                let at = map + page * pageBytes
                at[0] = page < 5 ? 0x05 : 0x0D
                at[3] = UInt8.random(in: 0...1, using: &random)
                for pointer in stride(from: 8, to: pageBytes, by: 4) where round % 2 == 0 {
                    at[pointer] = 0
                    at[pointer + 1] = 0
                    at[pointer + 2] = 0
                    at[pointer + 3] = UInt8.random(in: 0...14, using: &random)
                }
                at[8] = 0
                at[9] = 0
                at[10] = 0
                at[11] = UInt8.random(in: 0...14, using: &random)
            }
            let root = UInt32.random(in: 0...14, using: &random)
            begun += Int(hato_ahead_start(state, map, Int64(bytes), root))
            for count in 0..<HATO_AHEAD_ROWS + 1 {
                let row =
                    Int64.random(in: .min ... .max, using: &random)
                    >> Int64.random(in: 0..<64, using: &random)
                #expect((hato_ahead_add(state, row) != 0) == (count < HATO_AHEAD_ROWS))
            }
            for _ in 0..<2 * HATO_AHEAD_ROOM { hato_ahead_tick(state) }
        }
        #expect(begun > 10)
    }
}
