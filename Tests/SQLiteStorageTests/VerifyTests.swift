import Foundation
import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import SQLiteStorage

/// What a check finds, after somebody has meddled with the file.
@Suite("The check of a store")
struct VerifyTests {
    /// Six objects, some of them private, and an index; the check works in slices of two.
    private func room(complaints: Int = 100) async throws -> (StoreRoom, [Text]) {
        var limits = StoreLimits()
        limits.checkSlice = 2
        limits.checkComplaints = complaints
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

    @Test("finds an index that lacks a key")
    func wrongIndex() async throws {
        let (room, _) = try await room()
        try meddle(room, "DELETE FROM field_key WHERE row = (SELECT min(row) FROM field_key)")
        let complaints = try await room.store.verify()
        #expect(complaints.count == 1)
        #expect(complaints.first?.string.hasPrefix("index 1 on n: ") == true)
    }

    @Test("ends after so many complaints, and says that there is more")
    func bound() async throws {
        let (room, _) = try await room(complaints: 3)
        try meddle(room, "DELETE FROM \"grant\"")
        let complaints = try await room.store.verify()
        #expect(complaints.count == 4)
        #expect(complaints.last == "there is more")
    }

    @Test("finds a file that is no longer what SQLite wrote")
    func damagedFile() async throws {
        let (room, _) = try await room()
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
