import Foundation
import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

/// What a check finds, after somebody has meddled with the file.
@Suite("The check of a store")
struct VerifyTests {
    /// Six objects, some of them private, and an index; the check works in slices of two.
    private func room(
        complaints: Int = 100,
        wholeBytes: Int = .max
    ) async throws -> (StoreRoom, [Text]) {
        var limits = StoreLimits()
        limits.checkSlice = 2
        limits.checkComplaints = complaints
        limits.wholeCheckBytes = wholeBytes
        let room = try StoreRoom(limits: limits)
        var ids: [Text] = []
        for n in 0..<6 {
            let acl: ACL? = n % 2 == 1 ? .only("u1", "u2") : nil
            ids.append(try await room.create(.chat, [("n", .int(Int64(n)))], acl: acl))
        }
        _ = try await room.create(.named("Other"), acl: .readable(by: "u1"))
        _ = try await room.store.commit(.setIndexes(.chat, added: [.named("n")], removed: []))
        try await room.store.untilBuilt(.chat)
        return (room, ids)
    }

    private func meddle(_ room: StoreRoom, _ sql: String) throws {
        try SQLiteConnection(path: room.store.path, role: .writer).execute(script: sql)
    }

    @Test("finds nothing in a store that only the store has written")
    func sound() async throws {
        let (room, ids) = try await room()
        try await room.update(ids[0], acl: .only("u3"))
        try await room.update(ids[1], acl: .everybody, by: .user("u1"))
        try await room.delete(ids[2])
        #expect(try await room.store.verify() == [])
    }

    @Test("tells after each step how far it is")
    func progress() async throws {
        let (room, _) = try await room()
        let told = try Mailbox<Text>()
        #expect(try await room.store.verify { told.put($0) } == [])
        let all = try told.all()
        #expect(all.first == "looked at the file")
        for count in [2, 4, 6, 7] { #expect(all.contains(Text("compared \(count) objects"))) }
        for count in [2, 4, 6] {
            #expect(all.contains(Text("compared \(count) objects of index 1 on n")))
            #expect(all.contains(Text("compared \(count) keys of index 1 on n")))
        }
    }

    @Test("finds a flag that the acl does not give")
    func wrongFlag() async throws {
        let (room, ids) = try await room()
        try meddle(room, "UPDATE object SET public_read = 1 WHERE id = '\(ids[5])'")
        let first = try await room.store.verify().first
        #expect(first == Text("Chat/\(ids[5]) is not private, as its acl says"))
        try meddle(room, "UPDATE object SET public_read = 0 WHERE id IN ('\(ids[5])', '\(ids[4])')")
        let second = try await room.store.verify().first
        #expect(second == Text("Chat/\(ids[4]) is not public, as its acl says"))
    }

    @Test("finds a reader without a grant, and a grant without a reader or an object")
    func wrongGrants() async throws {
        let (room, ids) = try await room()
        let row = "(SELECT row FROM object WHERE id = '\(ids[3])')"
        try meddle(room, "DELETE FROM \"grant\" WHERE principal = 'u2' AND row = \(row)")
        #expect(
            try await room.store.verify() == [
                Text("Chat/\(ids[3]) is not listed for one who may read it")
            ]
        )
        try meddle(room, "UPDATE \"grant\" SET principal = 'u9' WHERE row = \(row)")
        #expect(
            try await room.store.verify() == [
                Text("Chat/\(ids[3]) is not listed for one who may read it"),
                Text("Chat/\(ids[3]) is not listed for one who may read it"),
                Text("Chat/\(ids[3]) is listed for one who may not read it"),
            ]
        )
    }

    @Test("finds a grant of an object that is gone")
    func strayGrant() async throws {
        let (room, _) = try await room()
        try meddle(room, "INSERT INTO \"grant\" VALUES (1, 'u1', 0, 99)")
        #expect(try await room.store.verify() == ["a grant names row 99, which is no object"])
    }

    @Test("finds an index that lacks a key, whichever slice it is in", arguments: 0..<6)
    func missingKey(place: Int) async throws {
        let (room, ids) = try await room()
        let row = "(SELECT row FROM object WHERE id = '\(ids[place])')"
        try meddle(room, "DELETE FROM field_key WHERE row = \(row)")
        let complaints = try await room.store.verify().map(\.string)
        #expect(complaints.count == 1)
        #expect(complaints.first?.hasPrefix("index 1 on n: row ") == true)
        #expect(complaints.first?.hasSuffix(" has not the key that it should") == true)
    }

    @Test("finds a key that no object should have, whichever slice it is in", arguments: 0..<6)
    func foreignKey(place: Int) async throws {
        let (room, ids) = try await room()
        let row = "(SELECT row FROM object WHERE id = '\(ids[place])')"
        // As many keys as objects: a count would not tell.
        try meddle(
            room,
            "UPDATE field_key SET kind = 1, key = CAST(x'07' || key AS BLOB) WHERE row = \(row)"
        )
        let complaints = try await room.store.verify().map(\.string)
        #expect(complaints.count == 2)
        #expect(complaints.last?.hasSuffix(" has a key that it should not") == true)
    }

    @Test("finds keys of an object that is gone, of an index that is gone, and a wrong flag")
    func strayKeys() async throws {
        let (room, ids) = try await room()
        try meddle(room, "INSERT INTO field_key VALUES (1, 0, x'00', 99, 1), (7, 0, x'00', 99, 1)")
        let row = "(SELECT row FROM object WHERE id = '\(ids[2])')"
        try meddle(room, "UPDATE field_key SET public_read = 0 WHERE row = \(row)")
        let complaints = try await room.store.verify().map(\.string)
        #expect(complaints.count == 3)
        #expect(complaints.first?.hasSuffix(" has not the key that it should") == true)
        #expect(complaints.contains("index 1 on n: row 99 has a key that it should not"))
        #expect(complaints.last == "there are keys of index 7, which is not there")
    }

    @Test("looks at an array's keys and at an index that is being built as they are")
    func arraysAndBuilding() async throws {
        var limits = StoreLimits()
        limits.checkSlice = 2
        let gate = BuildingSwitch()
        let room = try StoreRoom(
            limits: limits,
            building: { built in
                gate.isOpen || ClassRows.sequence(ofRow: built + 1) < 20
            }
        )
        let tags = Value.array((0..<5).map { .int($0) })
        for n in 0..<60 {
            _ = try await room.create(.chat, [("n", .int(Int64(n))), ("tags", tags)])
        }
        let paths = [FieldPath.named("n"), .named("tags")]
        _ = try await room.store.commit(.setIndexes(.chat, added: paths, removed: []))
        #expect(try await room.store.verify() == [])
        #expect(!room.store.isBuilt(.chat))
        gate.open()
        try await room.store.untilBuilt(.chat)
        #expect(try await room.store.verify() == [])
    }

    @Test("holds no transaction over two slices of an index: the log is shortened in between")
    func checkpoints() async throws {
        let (room, _) = try await room()
        let connection = try SQLiteConnection(path: room.store.path, role: .reader)
        let subject = try #require(try IndexCheck(connection).subjects().first)
        var place: Int64? = subject.rows.first - 1
        var slices = 0
        let session = try InspectionSession(path: room.store.path) { false }
        while let after = place {
            let part = try session.inTransaction {
                try IndexCheck($0).objects(of: subject, after: after, limit: 2)
            }
            #expect(part.complaints == [])
            place = part.last
            slices += 1
            let writer = try SQLiteConnection(path: room.store.path, role: .writer)
            #expect(try writer.checkpoint(everything: true))
        }
        #expect(slices == 4)
    }

    @Test("goes no further with an index that is given up between two slices")
    func givenUp() async throws {
        let (room, _) = try await room()
        let connection = try SQLiteConnection(path: room.store.path, role: .reader)
        let check = try IndexCheck(connection)
        let subject = try #require(try check.subjects().first)
        let first = try check.keys(of: subject, after: .first, limit: 2)
        let last = try #require(first.last)
        _ = try await room.store.commit(.setIndexes(.chat, added: [], removed: [.named("n")]))
        let next = try check.keys(of: subject, after: last, limit: 2)
        #expect(next.complaints == [])
        #expect(next.last == nil)
    }

    @Test("ends after so many complaints, and says that there is more")
    func bound() async throws {
        let (room, _) = try await room(complaints: 3)
        try meddle(room, "DELETE FROM \"grant\"")
        let complaints = try await room.store.verify()
        #expect(complaints.count == 4)
        #expect(complaints.last == "there is more")
    }

    @Test("a large file is looked at a table at a time, one up to the limit as a whole")
    func fileParts() async throws {
        let (room, _) = try await room()
        let check = FileCheck(try SQLiteConnection(path: room.store.path, role: .reader))
        let connection = try SQLiteConnection(path: room.store.path, role: .reader)
        let pages = try connection.prepare(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        )
        let size = Int(try pages.first { $0.integer(0) } ?? 0)
        guard case .everything = try #require(try check.parts(wholeLimit: size).first) else {
            Issue.record("a file up to the limit is taken apart")
            return
        }
        var names: Set<Text> = []
        for part in try check.parts(wholeLimit: size - 1) {
            if case .table(let name) = part { names.insert(name) }
            #expect(try check.complaints(about: part).isEmpty)
        }
        let tables: Set<Text> = [
            "sqlite_schema", "object", "grant", "change", "field_key", "field_index", "account",
        ]
        #expect(tables.isSubset(of: names))
    }

    @Test(
        "finds a file that is no longer what SQLite wrote, as a whole and in tables",
        arguments: [0, .max]
    )
    func damagedFile(wholeBytes: Int) async throws {
        let (room, _) = try await room(wholeBytes: wholeBytes)
        _ = try SQLiteConnection(path: room.store.path, role: .writer).checkpoint(everything: true)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: room.store.path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: Int(size) - 4_096))
        try file.close()
        let complaints = try await room.store.verify()
        #expect(!complaints.isEmpty)
        #expect(complaints.allSatisfy { $0.string.hasPrefix("the file is damaged: ") })
    }
}
