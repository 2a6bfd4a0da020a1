import EventLoops
import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import SQLiteStorage

/// SQLite's codes for a failed sync, a full disk, and an error that is no storage's.
private let syncFailed: Int32 = 10 | (4 << 8)
private let diskFull: Int32 = 13
private let badStatement: Int32 = 1

@Suite("A commit that fails", .timeLimit(.minutes(10)))
struct CommitFailureTests {
    /// Creates `count` objects in one transaction, which waits until `disk` is set up.
    private func createTogether(
        _ count: Int,
        in room: StoreRoom,
        _ prepare: (TestDisk) -> Void
    ) async throws -> [DomainError.Code?] {
        let gate = try Gate()
        room.told.onFirst { gate.waitUntilOpen() }
        async let held = room.create(.chat, [("n", .int(0))])
        await gate.waitForVisitor()
        prepare(room.disk)
        let codes = await withTaskGroup(of: DomainError.Code?.self) { group in
            for n in 1...count {
                group.addTask {
                    do {
                        _ = try await room.create(.chat, [("n", .int(Int64(n)))])
                        return nil
                    } catch {
                        return (error as? DomainError)?.code
                    }
                }
            }
            group.addTask {
                while room.store.queuedCount < count { await Task.yield() }
                gate.open()
                return nil
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        _ = try await held
        return codes
    }

    @Test(
        "for a sync or a full disk tells nothing, answers unavailable, and the next goes on",
        arguments: [syncFailed, diskFull]
    )
    func failsWithoutTrace(code: Int32) async throws {
        let room = try StoreRoom()
        let codes = try await createTogether(3, in: room) { $0.failNext(.inCommit, code: code) }
        #expect(codes.count { $0 == .unavailable } == 3)
        #expect(room.told.all.map(\.sequence) == [1])
        #expect(try await room.list().numbers == [0])
        _ = try await room.create(.chat, [("n", .int(9))])
        #expect(room.told.all.map(\.sequence) == [1, 2])
        #expect(Set(try await room.list().numbers) == [0, 9])
    }

    @Test(
        "although it is durable is told once, never applied again, and numbers go on after it",
        arguments: [syncFailed, diskFull, badStatement]
    )
    func failsThoughDurable(code: Int32) async throws {
        let room = try StoreRoom()
        let codes = try await createTogether(3, in: room) { $0.failNext(.afterCommit, code: code) }
        let expected: DomainError.Code = code == badStatement ? .system : .unavailable
        #expect(codes.count { $0 == expected } == 3)
        #expect(room.told.all.map(\.sequence) == [1, 2, 3, 4])
        #expect(Set(room.told.all.compactMap { $0.after?.id }).count == 4)
        #expect(try await room.list(limit: 0, wantsCount: true).count == 4)
        let id = try await room.create(.chat, [("n", .int(9))])
        #expect(room.told.all.last?.sequence == 5)
        #expect(try room.read(.chat, id) != nil)
    }

    @Test("before the commit for one that the database refuses is applied again, one by one")
    func retriesBeforeCommit() async throws {
        let room = try StoreRoom()
        let codes = try await createTogether(3, in: room) {
            $0.failNext(.beforeCommit, code: badStatement)
        }
        #expect(codes.allSatisfy { $0 == nil })
        #expect(room.told.all.map(\.sequence) == [1, 2, 3, 4])
        #expect(Set(try await room.list().numbers) == [0, 1, 2, 3])
    }

    @Test("and made a class durable without any object shows the readers that class")
    func tellsClasses() async throws {
        let room = try StoreRoom()
        let settings = ClassSettings(relay: .events, defaultACL: .owner)
        room.disk.failNext(.afterCommit, code: diskFull)
        await #expect(throws: DomainError.self) {
            _ = try await room.store.commit(.configureClass(.chat, settings))
        }
        #expect(room.store.settings(of: .chat) == settings)
    }

    @Test("of a new application is answered by what the reopened file holds")
    func rereadsApplications() throws {
        let room = try StoreRoom()
        let applications = room.applications
        let second = StoreRoom.application("second")
        room.disk.failNext(.inCommit, code: syncFailed)
        #expect(throws: DomainError.self) { try applications.create(second) }
        #expect(applications.application(named: "second") == nil)
        try applications.create(second)
        #expect(applications.application(named: "second") == second)

        let third = StoreRoom.application("third")
        room.disk.failNext(.afterCommit, code: syncFailed)
        try applications.create(third)
        #expect(applications.application(relayKey: "r-third") == third)
        #expect(throws: Never.self) { try applications.objects(of: third) }

        var settings = ApplicationSettings()
        settings.requiresSignature = true
        room.disk.failNext(.inCommit, code: diskFull)
        #expect(throws: DomainError.self) {
            try applications.set(settings, forApplicationNamed: "third")
        }
        #expect(applications.application(named: "third")?.settings == third.settings)
        room.disk.failNext(.afterCommit, code: diskFull)
        try applications.set(settings, forApplicationNamed: "third")
        #expect(applications.application(named: "third")?.settings == settings)
    }
}

@Suite("SQLite statements")
struct SQLiteStatementTests {
    private func connection() throws -> (TemporaryFolder, SQLiteConnection) {
        let folder = try TemporaryFolder()
        try folder.write([], to: "x.db")
        return (folder, try SQLiteConnection(path: folder.path(of: "x.db"), role: .writer))
    }

    @Test("do not run with a parameter that SQLite did not take, and work again after")
    func refusesParameters() throws {
        let (_, connection) = try connection()
        let statement = try connection.prepare("SELECT ?1 UNION ALL SELECT ?1")
        statement.bind(2, 5)
        #expect(throws: SQLiteFailure.self) { try statement.step() }
        statement.bind(1, "one" as Text)
        #expect(try statement.step())
        // In the middle of its rows it keeps what it has: the next would be the last caller's.
        statement.bind(1, "two" as Text)
        #expect(throws: SQLiteFailure.self) { try statement.step() }
        statement.bind(1, utf8: Array("three".utf8))
        #expect(try statement.first { $0.text(0) } == "three")
        statement.bind(1, blob: [4])
        #expect(try statement.first { $0.bytes(0) } == [4])
        statement.bind(1, nil as Text?)
        #expect(try statement.first { $0.isNull(0) } == true)
    }

    @Test("of a loop never wait for another connection")
    func waitsNotOnLoops() throws {
        let (folder, writer) = try connection()
        try writer.execute("CREATE TABLE t (x INTEGER)")
        let path = folder.path(of: "x.db")
        for (role, milliseconds) in [(SQLiteConnection.Role.loopReader, 0), (.reader, 5_000)] {
            let connection = try SQLiteConnection(path: path, role: role)
            let timeout = try connection.prepare("PRAGMA busy_timeout").first { $0.integer(0) }
            #expect(timeout == Int64(milliseconds))
        }
    }
}
