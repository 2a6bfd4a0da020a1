import Foundation
import Glibc
import HatoTesting
import HatoWire
import ObjectModel
import Telemetry
import SQLStorage
import Synchronization
import Testing

@testable import SQLiteStorage

/// A page that the disk does not give: here one behind the end of a file that was cut.
@Suite("Pages that cannot be read")
struct MapFaultTests {
    /// A database with rows on some thousand pages, all in its file.
    private func database(_ folder: TemporaryFolder) throws -> String {
        let path = folder.path(of: "pages.db")
        try folder.write([], to: "pages.db")
        let writer = try SQLiteConnection(path: path, role: .writer)
        try writer.execute("CREATE TABLE page (number INTEGER PRIMARY KEY, filling TEXT)")
        try writer.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO page SELECT i, hex(zeroblob(1000)) FROM n
            """
        )
        #expect(try writer.checkpoint(everything: true))
        return path
    }

    private func cut(_ path: String, to size: Int) {
        #expect(truncate(path, size) == 0)
    }

    @Test("end the read, not the process, and a new connection reads what is there again")
    func cutFile() throws {
        let folder = try TemporaryFolder()
        let path = try database(folder)
        let reader = try SQLiteConnection(path: path, role: .reader)
        let select = try reader.prepare("SELECT number FROM page")
        func count(_ statement: SQLiteStatement, then: () -> Void = {}) throws -> Int {
            defer { statement.reset() }
            var rows = 0
            while try statement.step() {
                rows += 1
                if rows == 10 { then() }
            }
            return rows
        }
        #expect(try reader.mapped { try count(select) } == 2_000)

        let whole = try folder.read("pages.db")
        #expect(whole.count > 4_000_000)
        let failure = #expect(throws: SQLiteFailure.self) {
            try reader.mapped { try count(select) { cut(path, to: 8_192) } }
        }
        #expect(failure?.message == "a page cannot be read")

        try folder.write(whole, to: "pages.db")
        let second = try SQLiteConnection(path: path, role: .reader)
        let again = try second.prepare("SELECT number FROM page")
        #expect(try second.mapped { try count(again) } == 2_000)
    }

    @Test("make a list unavailable")
    func list() async throws {
        let room = try StoreRoom()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for n in 0..<5_000 {
                group.addTask { _ = try await room.create(.chat, [("n", .int(Int64(n)))]) }
            }
            try await group.waitForAll()
        }
        let path = room.store.path
        room.applications.close()
        let snapshot = StoreSnapshot(path: path, ClassDirectory())
        let session = try ListSession.alone(snapshot)
        let request = ListRequest(
            Query(className: .chat, filter: .field("n", .less(.int(0)))),
            record: ClassRecord(rows: ClassRows(classNumber: 1), settings: ClassSettings()),
            policy: AccessPolicy(principal: .administrator, settings: ClassSettings()),
            limits: StoreLimits()
        )
        #expect(try session.list(request, in: .bare, isOver: { false }).json.isEmpty)
        // SQLite asks in the middle of the scan.
        let failure = #expect(throws: SQLiteFailure.self) {
            try session.list(
                request,
                in: .bare,
                isOver: {
                    _ = truncate(path, 8_192)
                    return false
                }
            )
        }
        #expect(failure?.isInterrupt == false)
    }

    @Test("close the connection, also when the time of the list is over in the same document")
    func slowDisk() async throws {
        let room = try StoreRoom()
        let filling = String(repeating: "x", count: 5_000)
        for n in 0..<60 {
            _ = try await room.create(.chat, [("n", .int(Int64(n))), ("s", .text(Text(filling)))])
        }
        let path = room.store.path
        room.applications.close()
        let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        var directory = ClassDirectory()
        _ = try directory.add(.chat, ClassSettings())
        let reader = ListReader(
            StoreSnapshot(path: path, directory),
            limits: StoreLimits(),
            advisor: IndexAdvisor(StoreLimits()),
            uses: IndexUses(),
            slowLists: SlowLists(),
            cacheBytes: 0,
            answers: ByteBudget(limit: .max),
            onWay: nil,
            onOpening: {}
        )
        // A pattern looks at the clock inside of documents.
        let query = Query(
            className: .chat,
            filter: .field("s", .matches(try Pattern("y"))),
            limit: 1_000
        )
        func answer(_ query: Query, unless isUnwanted: @escaping @Sendable () -> Bool) -> [UInt8]? {
            let answer = reader.answer(
                query,
                in: .bare,
                as: .administrator,
                before: ContinuousClock.now + .seconds(3_600),
                mayGiveWay: nil,
                unless: isUnwanted
            )
            guard case .success(let list)? = answer else { return nil }
            return list.json
        }
        #expect(answer(query, unless: { false }) == [])
        for pages in 1...40 {
            let asked = Atomic(0)
            let size = bytes.count - pages * 4_096
            let cutAnswer = answer(query) {
                // The first look is before the list begins.
                guard asked.wrappingAdd(1, ordering: .relaxed).newValue > 1 else { return false }
                _ = truncate(path, size)
                return true
            }
            #expect(cutAnswer == nil)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let whole = answer(Query(className: .chat, limit: 1_000), unless: { false })
            #expect(whole?.contains(0) == false)
            #expect((whole?.count ?? 0) > 300_000)
        }
    }
}
