import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

@Suite("Reports of classes")
struct ClassReportTests {
    @Test("tell objects, size, settings and fields with the types seen")
    func fields() async throws {
        let room = try StoreRoom()
        _ = try await room.create(.chat, [("n", .int(1)), ("s", .text("鳩"))])
        _ = try await room.create(.chat, [("n", .text("x"))], acl: .only("u1"))
        _ = try await room.create(.chat, [("n", .int(2))])
        _ = try await room.create(.named("Other"), [("m", .int(1))])
        let settings = ClassSettings(relay: .off, defaultACL: .owner)
        _ = try await room.store.commit(.configureClass(.chat, settings))
        let report = try #require(try await room.store.report(of: .chat))
        #expect(report.objectCount == 3)
        #expect(report.documentBytes == #"{"n":1,"s":"鳩"}{"n":"x"}{"n":2}"#.utf8.count)
        #expect(report.settings == settings)
        #expect(!report.isSampled)
        #expect(report.fields.map(\.name) == ["n", "s"])
        #expect(
            report.fields[0].types == [
                ClassReport.TypeCount(type: .number, count: 2),
                ClassReport.TypeCount(type: .string, count: 1),
            ]
        )
        #expect(report.indexes.isEmpty)
        #expect(report.slowFilters.isEmpty)
    }

    @Test("do not exist of a class that does not, and are empty of one without objects")
    func absent() async throws {
        let room = try StoreRoom()
        #expect(try await room.store.report(of: .chat) == nil)
        let id = try await room.create()
        try await room.delete(id)
        let report = try #require(try await room.store.report(of: .chat))
        #expect(report.objectCount == 0)
        #expect(report.documentBytes == 0)
        #expect(report.fields.isEmpty)
    }

    @Test("look at the newest objects up to the limit, and say so")
    func sampling() async throws {
        var limits = StoreLimits()
        limits.reportRows = 2
        let room = try StoreRoom(limits: limits)
        _ = try await room.create(.chat, [("b", .int(2))])
        _ = try await room.create(.chat, [("b", .int(3))])
        #expect(try await room.store.report(of: .chat)?.isSampled == false)
        _ = try await room.create(.chat, [("c", .text("1234567"))])
        let report = try #require(try await room.store.report(of: .chat))
        #expect(report.isSampled)
        #expect(report.objectCount == 3)
        #expect(report.fields.map(\.name) == ["b", "c"])
        #expect(report.fields.map(\.count) == [1, 1])
        // 7 and 15 bytes were seen: three objects of 11.
        #expect(report.documentBytes == 33)
    }

    @Test("tell an index's origin, its keys, and how far it is built")
    func indexes() async throws {
        let building = BuildingSwitch()
        let room = try StoreRoom(building: { _ in building.isOpen })
        let tags = Value.array([.text("red"), .text("blue")])
        for n in 0..<3 {
            _ = try await room.create(.chat, [("n", .int(Int64(n))), ("tags", tags)])
        }
        _ = try await room.store.commit(
            .setIndexes(.chat, added: [.named("tags")], removed: [])
        )
        let begun = try #require(try await room.store.report(of: .chat)?.indexes.first)
        #expect(begun.path == "tags")
        #expect(begun.state == .building(done: 0, total: 3))
        #expect(begun.keyCount == 0)
        building.open()
        _ = try await room.store.commit(.makeIndex(.chat, .named("n")))
        try await room.store.untilBuilt(.chat)
        let done = try #require(try await room.store.report(of: .chat)).indexes
        #expect(done.map(\.path) == ["n", "tags"])
        #expect(done.map(\.isDeclared) == [false, true])
        #expect(done.map(\.state) == [.ready, .ready])
        // One whole key each, and one for each element.
        #expect(done.map(\.keyCount) == [3, 9])
        #expect(done.allSatisfy { $0.byteCount > 16 * $0.keyCount })
    }

    @Test("tell the filters that were slow, without their values")
    func slowFilters() async throws {
        var limits = StoreLimits()
        limits.slowRows = 3
        let room = try StoreRoom(limits: limits)
        for n in 0..<4 { _ = try await room.create(.chat, [("n", .int(Int64(n)))]) }
        for n in 0..<2 { _ = try await room.list(.field("n", .equal(.int(Int64(n))))) }
        let slow = try #require(try await room.store.report(of: .chat)?.slowFilters.first)
        #expect(slow.shape == "n = ?")
        #expect(slow.count == 2)
        #expect(slow.examinedRows == 8)
    }

    @Test("name all classes with the number of their objects")
    func classes() async throws {
        let room = try StoreRoom()
        #expect(try await room.store.classes().isEmpty)
        for name in ["Zoo", "Ark", "Zoo"] as [Text] { _ = try await room.create(.named(name)) }
        #expect(
            try await room.store.classes() == [
                ClassSummary(name: .named("Ark"), objectCount: 1),
                ClassSummary(name: .named("Zoo"), objectCount: 2),
            ]
        )
    }

    @Test("end at the deadline of lists")
    func deadline() async throws {
        var limits = StoreLimits()
        limits.listDeadline = .zero
        let room = try StoreRoom(limits: limits)
        for n in 0..<300 { _ = try await room.create(.chat, [("n", .int(Int64(n)))]) }
        do {
            // Before SQLite looks at the clock there may be time to count, never to look at documents.
            let report = try await room.store.report(of: .chat)
            #expect(report?.fields.isEmpty == true)
            #expect(report?.isSampled == true)
        } catch {
            #expect(error.code == .unavailable)
        }
    }

    @Test("an application that shall make no indexes makes none, until it shall again")
    func makesIndexes() async throws {
        var limits = StoreLimits()
        limits.slowRows = 3
        limits.slowLists = 2
        let folder = try TemporaryFolder()
        let filter = Filter.field("n", .equal(.int(1)))
        do {
            let room = try StoreRoom(folder: folder, limits: limits)
            for n in 0..<4 { _ = try await room.create(.chat, [("n", .int(Int64(n)))]) }
            let off = ApplicationSettings(makesIndexes: false)
            try room.applications.set(off, forApplicationNamed: "test")
            for _ in 0..<6 { _ = try await room.list(filter) }
            _ = try await room.create()
            #expect(room.store.indexes(of: .chat).isEmpty)
        }
        let room = try StoreRoom(folder: folder, limits: limits)
        for _ in 0..<6 { _ = try await room.list(filter) }
        _ = try await room.create()
        #expect(room.store.indexes(of: .chat).isEmpty)
        try room.applications.set(ApplicationSettings(), forApplicationNamed: "test")
        let deadline = Deadline()
        while room.store.indexes(of: .chat).isEmpty {
            try #require(!deadline.hasPassed)
            _ = try await room.list(filter)
        }
        #expect(room.store.indexes(of: .chat).map(\.path) == [.named("n")])
    }
}
