import Foundation
import HatoTesting
import HatoWire
import Migrations
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

@Suite("The data folder")
struct DataFolderTests {
    @Test("belongs to one owner at a time, and the refusal names the mend")
    func locks() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "data")
        var first: DataFolder? = try DataFolder(path: path + "/")
        #expect(first?.path == path)
        do {
            _ = try DataFolder(path: path)
            Issue.record("two owners")
        } catch {
            #expect(error.description.contains(path))
            #expect(error.description.contains("--data"))
        }
        first = nil
        _ = try DataFolder(path: path)
    }

    @Test("is open to nobody else")
    func modes() async throws {
        let room = try StoreRoom()
        _ = try await room.create()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: room.folder.path)
        #expect(paths.contains("data/apps/test/objects.db-wal"))
        for path in paths {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: room.folder.path(of: path)
            )
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(path) has mode \(String(mode, radix: 8))")
        }
    }

    @Test("says what it could not make")
    func refuses() throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "file")
        for path in ["file", "file/data", "none/data"] {
            do {
                _ = try DataFolder(path: folder.path(of: path))
                Issue.record("\(path) became a folder")
            } catch {
                #expect(error.description.contains(folder.path(of: path)))
            }
        }
    }

    @Test("every file of the Migrations folder is in the binary, in order")
    func embedsMigrations() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let series = [
            ("Applications", Migration.applications), ("Objects", Migration.objects),
        ]
        for (name, migrations) in series {
            let folder = root.appendingPathComponent("Migrations/\(name)")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(files.count == migrations.count)
            for (file, migration) in zip(files, migrations) {
                let number = String(String(10_000 + migration.number).dropFirst())
                #expect(file == "\(number)_\(migration.name).sqlite.sql")
                let text = try String(
                    contentsOf: folder.appendingPathComponent(file),
                    encoding: .utf8
                )
                #expect(text == migration.sqlite)
            }
        }
    }

    @Test("migrations run once each, and a newer database is refused in words")
    func migrates() throws {
        let known = Migration.objects.count
        let all = Array(1...known)
        #expect(try Migrator.pending(of: Migration.objects, applied: []).count == known)
        #expect(try Migrator.pending(of: Migration.objects, applied: [1]).count == known - 1)
        #expect(try Migrator.pending(of: Migration.objects, applied: all).isEmpty)
        #expect(throws: MigrationError.newer(found: known + 1, known: known)) {
            try Migrator.pending(of: Migration.objects, applied: all + [known + 1])
        }

        let folder = try TemporaryFolder()
        let path = folder.path(of: "x.db")
        let now = TestClock().now
        _ = try DatabaseFile.open(path, Migration.objects, now: now)
        let again = try DatabaseFile.open(path, Migration.objects, now: now)
        try again.execute("INSERT INTO migration VALUES (1000, 'from the future', 0)")
        do {
            _ = try DatabaseFile.open(path, Migration.objects, now: now)
            Issue.record("a newer database was opened")
        } catch {
            #expect(error.code == .unavailable)
            #expect(error.cause.contains("newer hato"))
            #expect(error.cause.contains(path))
        }
    }

    @Test("a file that was copied into place begins a new epoch, a restarted one does not")
    func renewsEpoch() throws {
        let folder = try TemporaryFolder()
        let now = TestClock().now
        let environment = StoreEnvironment(now: { now }, random: { .random(in: .min ... .max) })
        func epoch(_ name: String) throws -> Text {
            let path = folder.path(of: name)
            let writer = try ObjectFile.open(
                path,
                creating: true,
                environment: environment,
                limits: StoreLimits()
            )
            let select = try writer.connection.prepare(
                "SELECT value FROM meta WHERE name = 'epoch'"
            )
            return try #require(try select.first { $0.text(0) })
        }
        let first = try epoch("one.db")
        #expect(try epoch("one.db") == first)
        try FileManager.default.copyItem(
            atPath: folder.path(of: "one.db"),
            toPath: folder.path(of: "two.db")
        )
        #expect(try epoch("two.db") != first)
    }
}

@Suite("Applications in SQLite")
struct ApplicationStoreTests {
    @Test("are found by name, application key and relay key, and kept over a restart")
    func finds() throws {
        let folder = try TemporaryFolder()
        var room: StoreRoom? = try StoreRoom(folder: folder)
        let settings = ApplicationSettings(
            requiresSignature: true,
            timestampWindowSeconds: 300,
            hidesUnreadable: true,
            allowsAnonymous: false,
            sessionLifetimeSeconds: 60,
            makesIndexes: false,
            relay: RelaySettings(
                guardsAllChannels: true,
                connectionLimit: 1,
                channelLimit: 2,
                messagesPerSecond: 3
            )
        )
        try room?.applications.create(StoreRoom.application("b"))
        try room?.applications.set(settings, forApplicationNamed: "b")
        room = nil

        let again = try StoreRoom(folder: folder).applications
        #expect(again.applications().map(\.name) == ["test", "b"])
        let found = try #require(again.application(named: "b"))
        #expect(found.settings == settings)
        #expect(again.application(applicationKey: "a-b") == found)
        #expect(again.application(relayKey: "r-b") == found)
        #expect(again.application(named: "test")?.settings == ApplicationSettings())
        #expect(again.application(applicationKey: "r-b") == nil)
    }

    @Test("that an older version made make indexes by themselves")
    func upgrades() throws {
        let folder = try TemporaryFolder()
        _ = try DataFolder(path: folder.path(of: "data"))
        let now = Timestamp(millisecondsSinceEpoch: TestClock.start)
        let first = Array(Migration.applications.prefix(1))
        try DatabaseFile.open(folder.path(of: "data/hato.db"), first, now: now).execute(
            """
            INSERT INTO application
            VALUES (1, 'old', 'old', 'a-old', 'c', 'r-old', 's', 0, 1, NULL, 0, 0, 60)
            """
        )
        let found = try StoreRoom(folder: folder).applications.application(named: "old")
        let settings = ApplicationSettings(
            requiresSignature: true,
            allowsAnonymous: false,
            sessionLifetimeSeconds: 60
        )
        #expect(found?.settings == settings)
        #expect(found?.settings.makesIndexes == true)
    }

    @Test("refuse a taken name or key by its field, and settings of nothing")
    func refuses() throws {
        let applications = try StoreRoom().applications
        var other = StoreRoom.application("other")
        other.relayKey = "r-test"
        #expect(throws: DomainError(.duplicate, "relayKey")) { try applications.create(other) }
        other.applicationKey = "a-test"
        #expect(throws: DomainError(.duplicate, "applicationKey")) {
            try applications.create(other)
        }
        other.name = "test"
        #expect(throws: DomainError(.duplicate, "name")) { try applications.create(other) }
        other = StoreRoom.application("x")
        other.id = "../x"
        #expect(throws: DomainError(.invalidFormat, "id")) { try applications.create(other) }
        #expect(throws: DomainError(.notFound, "name")) {
            try applications.set(ApplicationSettings(), forApplicationNamed: "nothing")
        }
        #expect(applications.applications().count == 1)
    }
}
