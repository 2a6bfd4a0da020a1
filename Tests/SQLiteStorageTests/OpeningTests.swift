import EventLoops
import Foundation
import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import SQLiteStorage

@Suite("Opening and closing applications", .timeLimit(.minutes(10)))
struct OpeningTests {
    /// Makes a folder with these applications, all closed.
    private func folder(_ names: Text...) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let room = try StoreRoom(folder: folder)
        for name in names { try room.applications.create(StoreRoom.application(name)) }
        return folder
    }

    private func isUnavailable(_ error: DomainError) -> Bool { error.code == .unavailable }

    @Test("what a loop asks waits for no command, and an opening for none either")
    func waitsForNoCommand() async throws {
        let room = try StoreRoom(folder: try folder("b"))
        let applications = room.applications
        let gate = try Gate()
        room.disk.atNext(.inCommit) {
            gate.waitUntilOpen()
            return nil
        }
        let commands = try WorkerPool(name: "command", threads: 1, queueLimit: 1)
        _ = commands.submit { _ in try? applications.create(StoreRoom.application("c")) }
        await gate.waitForVisitor()

        #expect(throws: Never.self) { try applications.objects(of: room.application) }
        let other = StoreRoom.application("b")
        do throws(DomainError) {
            _ = try applications.objects(of: other)
            Issue.record("opened on the caller's thread")
        } catch {
            #expect(isUnavailable(error))
        }
        while (try? applications.objects(of: other)) == nil { await Task.yield() }
        #expect(applications.application(named: "c") == nil)
        gate.open()
        commands.close()
        #expect(throws: Never.self) {
            try applications.objects(of: try #require(applications.application(named: "c")))
        }
    }

    @Test("at the start all are opened that may be, and each new one when it is made")
    func opensAtStart() throws {
        var limits = StoreLimits()
        limits.openApplications = 3
        let room = try StoreRoom(folder: try folder("b", "c", "d"), limits: limits)
        #expect(room.applications.openCount == 1)
        room.applications.openAll { Issue.record("\($0.name): \($1.cause)") }
        #expect(room.applications.openCount == 3)
        for name in ["b", "c"] as [Text] {
            #expect(throws: Never.self) {
                try room.applications.objects(of: StoreRoom.application(name))
            }
        }
        try room.applications.create(StoreRoom.application("e"))
        #expect(throws: Never.self) {
            try room.applications.objects(of: StoreRoom.application("e"))
        }
    }

    @Test("an application whose file is missing or empty is reported, and its file not made anew")
    func reportsMissing() async throws {
        let folder = try folder("b", "c", "d")
        let path = folder.path(of: "data/apps/b/objects.db")
        try FileManager.default.removeItem(atPath: path)
        try folder.write([], to: "data/apps/d/objects.db")
        let room = try StoreRoom(folder: folder)
        var reported: [Text] = []
        room.applications.openAll { application, error in
            reported.append(application.name)
            #expect(error.cause.contains("apps/\(application.id)/objects.db"))
            #expect(error.cause.contains("backup"))
        }
        #expect(reported == ["b", "d"])
        // The reason reaches the log of those who ask.
        var cause = ""
        while !cause.contains("backup") {
            do throws(DomainError) {
                _ = try room.applications.objects(of: StoreRoom.application("b"))
                Issue.record("opened")
                return
            } catch {
                cause = error.cause
            }
            await Task.yield()
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(throws: Never.self) {
            try room.applications.objects(of: StoreRoom.application("c"))
        }
    }

    @Test("when the idlest is busy the next idlest is closed")
    func closesNextIdlest() async throws {
        var limits = StoreLimits()
        limits.openApplications = 2
        let room = try StoreRoom(limits: limits)
        try room.applications.create(StoreRoom.application("b"))
        let gate = try Gate()
        room.told.onFirst { gate.waitUntilOpen() }
        async let held = room.create()
        await gate.waitForVisitor()
        // Its closing will be asked between these two writes.
        async let queued = room.create()
        while room.store.queuedCount < 1 { await Task.yield() }
        _ = try room.applications.objects(of: StoreRoom.application("b"))
        try room.applications.create(StoreRoom.application("c"))
        #expect(room.applications.openCount == 3)
        gate.open()
        _ = try await (held, queued)
        while room.applications.openCount > 2 { await Task.yield() }
        #expect(room.applications.isOpen(room.application.id))
        #expect(!room.applications.isOpen("b"))
        #expect(room.applications.isOpen("c"))
    }

    @Test("a connection that is opened while a closing goes on is counted")
    func countsReopening() throws {
        let usage = StoreUsage(number: 1, tick: { 1 }, onOpening: { _ in })
        usage.noteOpening()
        usage.noteClosing()
        usage.noteOpening()
        #expect(usage.isOpen)
        usage.noteClosing()
        usage.noteStillOpen()
        #expect(usage.isOpen)
    }

    @Test("a stuck writer collects one job to tend an application, however often it is asked")
    func boundsTending() async throws {
        let room = try StoreRoom()
        let gate = try Gate()
        room.told.onFirst { gate.waitUntilOpen() }
        async let held = room.create()
        await gate.waitForVisitor()
        for _ in 0..<100 { room.applications.tend() }
        #expect(room.threads.opener.queuedCount == 1)
        gate.open()
        _ = try await held
        while room.threads.opener.queuedCount > 0 { await Task.yield() }
        room.applications.tend()
    }

    @Test("an application has as many descriptors open as the reserve counts, and no more")
    func countsDescriptors() async throws {
        let turns = LoopTurns(loops: 2)
        var limits = StoreLimits()
        limits.listSlice = .zero
        limits.listDeadline = .seconds(3_600)
        let room = try StoreRoom(limits: limits, turns: turns)
        try await room.fill(count: 1_500)
        let id = try await room.create(.chat, [("n", .int(1))])
        for loop in 0..<2 {
            var output: [UInt8] = []
            _ = try room.store.reader(onLoop: loop).append(.chat, id, as: .stranger, to: &output)
        }
        limits.openApplications = 1
        let one = StoreLimits.descriptorCount(for: limits, loopCount: 2)
        limits.openApplications = 2
        let each = StoreLimits.descriptorCount(for: limits, loopCount: 2) - one
        // Every connection for lists is open once as many run as may.
        let slow = try GatedList(passes: 1)
        let quick = try GatedList()
        let scan = Query(
            className: .chat,
            filter: .field("n", .less(.int(-1))),
            limit: 1_000
        )
        var lists: [Task<ObjectList, any Error>] = []
        for _ in 0..<limits.slowListsPerApplication {
            let gated = try GatedList(passes: 1, sharing: slow)
            lists.append(
                Task { try await room.store.list(scan, in: gated.envelope, as: .administrator) }
            )
            try await slow.waitUntilOpened()
        }
        for _ in 0..<limits.listThreads {
            let query = Query(className: .chat, limit: 1)
            lists.append(
                Task { try await room.store.list(query, in: quick.envelope, as: .administrator) }
            )
            try await quick.waitUntilOpened()
        }
        #expect(try descriptors(in: room.folder.path(of: "data/apps/test")) == each)
        limits.openApplications = 0
        let rest = StoreLimits.descriptorCount(for: limits, loopCount: 2)
        #expect(try descriptors(in: room.folder.path(of: "data")) <= each + rest)
        for _ in lists {
            slow.gate.put(true)
            quick.gate.put(true)
        }
        for list in lists { _ = try await list.value }
        for loop in 0..<2 { turns.endTurn(onLoop: loop) }
    }

    private func descriptors(in folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/" + $0
            )
            return path?.hasPrefix(folder + "/") == true
        }
    }
}
