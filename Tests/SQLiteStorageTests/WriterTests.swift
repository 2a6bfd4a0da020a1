import EventLoops
import HatoTesting
import HatoWire
import ObjectModel
import Synchronization
import Testing

@testable import SQLiteStorage

@Suite("The writer", .timeLimit(.minutes(10)))
struct WriterTests {
    @Test("commits what queued together in far fewer transactions")
    func groupsCommits() async throws {
        let room = try StoreRoom()
        try await withThrowingTaskGroup { group in
            for writer in 0..<16 {
                group.addTask {
                    for n in 0..<25 {
                        _ = try await room.create(.chat, [("n", .int(Int64(writer * 25 + n)))])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(room.store.commitCount < 300)
        let list = try await room.list(limit: 1_000, wantsCount: true)
        #expect(list.count == 400)
        #expect(Set(list.numbers) == Set(0..<400))
    }

    @Test("tells the observer every change in commit order, with what was before and after")
    func tellsChanges() async throws {
        let room = try StoreRoom()
        let id = try await room.create(.chat, [("n", .int(1))])
        room.clock.advance(milliseconds: 5)
        try await room.update(id, [("n", .int(2))])
        try await room.delete(id)

        let told = room.told.all
        #expect(told.map(\.kind) == [.create, .update, .delete])
        #expect(told.map(\.sequence) == [1, 2, 3])
        #expect(told[0].before == nil)
        #expect(told[1].before == told[0].after)
        #expect(told[2].before == told[1].after)
        #expect(told[2].after == nil)
        #expect(told[1].after.map { String(decoding: $0.document, as: UTF8.self) } == #"{"n":2}"#)
        #expect(told[1].after?.updated.millisecondsSinceEpoch == TestClock.start + 5)
    }

    @Test("reads back from its log exactly what the observer was told")
    func readsLog() async throws {
        let room = try StoreRoom()
        var generator = SeededGenerator(seed: 7)
        var ids: [Text] = []
        for n in 0..<300 {
            room.clock.advance(milliseconds: Int64.random(in: 0...2, using: &generator))
            let pick = ids.indices.randomElement(using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0 where pick != nil:
                try await room.delete(ids.remove(at: #require(pick)), by: .administrator)
            case 1 where pick != nil:
                let id = try ids[#require(pick)]
                try await room.update(id, [("n", .int(Int64(n)))], by: .administrator)
            case 2 where pick != nil:
                let id = try ids[#require(pick)]
                try await room.update(
                    id,
                    acl: n % 2 == 0 ? .only("u") : .everybody,
                    by: .administrator
                )
            default:
                let className: ClassName = n % 3 == 0 ? .named("Other") : .chat
                let id = try await room.create(className, [("n", .int(Int64(n)))])
                if className == .chat { ids.append(id) }
            }
        }
        let told = room.told.all
        room.applications.close()

        let path = room.folder.path(of: "data/apps/test/objects.db")
        let environment = StoreEnvironment(now: { room.clock.now }, random: { 1 })
        let writer = try ObjectFile.open(path, environment: environment, limits: StoreLimits())
        #expect(writer.state.sequence == 300)
        for start in [0, 1, 150, 299, 300] {
            let read = try writer.changes(after: Int64(start))
            let expected = told.filter { $0.sequence > start }
            #expect(read.count == expected.count)
            for (one, other) in zip(read, expected) {
                #expect(one.sequence == other.sequence)
                #expect(one.kind == other.kind)
                #expect(one.className == other.className)
                #expect(one.before == other.before)
                #expect(one.after == other.after)
            }
        }
    }

    @Test("takes a full queue and refuses one more, and all of the queue is done")
    func boundsQueue() async throws {
        var limits = StoreLimits()
        limits.writerQueue = 20
        let room = try StoreRoom(limits: limits)
        let gate = try Gate()
        room.told.onFirst { gate.waitUntilOpen() }
        async let held = room.create(.chat, [("n", .int(-1))])
        await gate.waitForVisitor()

        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for n in 0..<21 {
                group.addTask {
                    do {
                        _ = try await room.create(.chat, [("n", .int(Int64(n)))])
                        return true
                    } catch let error as DomainError {
                        #expect(error.code == .unavailable)
                        gate.open()
                        return false
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        _ = try await held
        #expect(outcomes.count { $0 } == 20)
        #expect(try await room.list(limit: 0, wantsCount: true).count == 21)
    }

    @Test("a transaction takes no more mutations than it may, the rest goes into the next")
    func boundsTransactions() async throws {
        var limits = StoreLimits()
        limits.transactionMutations = 3
        let room = try StoreRoom(limits: limits)
        let gate = try Gate()
        room.told.onFirst { gate.waitUntilOpen() }
        async let held = room.create(.chat, [("n", .int(0))])
        await gate.waitForVisitor()
        // One transaction is open; seven more mutations make three.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for n in 1...7 {
                group.addTask { _ = try await room.create(.chat, [("n", .int(Int64(n)))]) }
            }
            group.addTask {
                while room.store.queuedCount < 7 { await Task.yield() }
                gate.open()
            }
            try await group.waitForAll()
        }
        _ = try await held
        #expect(room.store.commitCount == 4)
        #expect(try await room.list(limit: 0, wantsCount: true).count == 8)
    }

    @Test("a pause in the writing shortens the log without closing anything")
    func tends() async throws {
        var limits = StoreLimits()
        limits.idleCheckpointPages = 1
        let room = try StoreRoom(limits: limits)
        let id = try await room.create(.chat, [("n", .int(1))])
        // Without its log a copy of the file has only what was checkpointed.
        func isInFile() throws -> Bool {
            try room.folder.write(room.folder.read("data/apps/test/objects.db"), to: "copy.db")
            let copy = try SQLiteConnection(path: room.folder.path(of: "copy.db"), role: .reader)
            let tables = try copy.prepare(
                "SELECT count(*) FROM sqlite_schema WHERE name = 'object'"
            )
            guard try tables.first({ $0.integer(0) }) == 1 else { return false }
            return try copy.prepare("SELECT count(*) FROM object").first { $0.integer(0) } == 1
        }
        #expect(try !isInFile())
        while try !isInFile() {
            room.applications.tend()
            await Task.yield()
        }
        #expect(try room.read(.chat, id) != nil)
    }

    @Test("a class is made at the limit of their number and refused past it")
    func boundsClasses() throws {
        var directory = ClassDirectory()
        for n in 0..<ClassDirectory.classLimit {
            _ = try directory.add(.named(Text("C\(n)")), ClassSettings())
        }
        #expect(throws: DomainError(.invalidValue, "className")) {
            try directory.add(.named("Last"), ClassSettings())
        }
    }

    @Test("a refusal in the middle of a transaction takes nothing else with it")
    func refusesAlone() async throws {
        let room = try StoreRoom()
        let gate = try Gate()
        room.told.onFirst { gate.waitUntilOpen() }
        async let held = room.create(.chat, [("n", .int(0))])
        await gate.waitForVisitor()
        async let good = room.create(.chat, [("n", .int(1))])
        async let bad: Void = room.delete("nothing")
        async let alsoGood = room.create(.chat, [("n", .int(2))])
        gate.open()
        _ = try await (held, good, alsoGood)
        do {
            try await bad
            Issue.record("nothing was deleted")
        } catch {
            #expect(error as? DomainError == DomainError(.notFound))
        }
        #expect(Set(try await room.list().numbers) == [0, 1, 2])
    }

    @Test("answers unavailable once it is closing, after what was queued is done")
    func closes() async throws {
        let folder = try TemporaryFolder()
        var room: StoreRoom? = try StoreRoom(folder: folder)
        let store = try #require(room).store
        _ = try await #require(room).create(.chat, [("n", .int(1))])
        room?.applications.close()
        do {
            _ = try await store.commit(.delete(className: .chat, id: "x", by: .stranger))
            Issue.record("a closed store took a write")
        } catch {
            #expect(error.code == .unavailable)
        }
        room = nil
        #expect(!folder.contains("data/apps/test/objects.db-wal"))
        #expect(!folder.contains("data/hato.db-wal"))
        #expect(try await StoreRoom(folder: folder).list().numbers == [1])
    }

    @Test("old images go in small steps, the last stays, and numbers go on from it")
    func prunes() async throws {
        var limits = StoreLimits()
        limits.changeLogRows = 10
        let folder = try TemporaryFolder()
        let clock = TestClock()
        var room: StoreRoom? = try StoreRoom(folder: folder, limits: limits, clock: clock)
        let id = try await #require(room).create()
        for n in 0..<50 {
            clock.advance(milliseconds: 61_000)
            try await room?.update(id, [("n", .int(Int64(n)))])
        }
        try await room?.delete(id)
        room = nil
        let path = folder.path(of: "data/apps/test/objects.db")
        func logged() throws -> Int64 {
            let connection = try SQLiteConnection(path: path, role: .reader)
            return try connection.prepare("SELECT count(*) FROM change").first { $0.integer(0) }
                ?? 0
        }
        #expect(try (10...12).contains(logged()))

        // A day later only the last is left, whatever its age.
        clock.advance(milliseconds: 2 * 86_400_000)
        var later: StoreRoom? = try StoreRoom(folder: folder, limits: limits, clock: clock)
        _ = try await later?.store.commit(.closeSession(tokenHash: [1]))
        let next = try await #require(later).create()
        #expect(later?.told.all.last?.sequence == 53)
        #expect(next != id)
        later = nil
        #expect(try logged() == 1)
    }

    @Test("the log of before-images keeps its bound however many a transaction makes")
    func boundsLog() throws {
        var limits = StoreLimits()
        limits.changeLogRows = 1_000
        let batch: Int64 = 1_500
        let folder = try TemporaryFolder()
        let clock = TestClock()
        let writer = try ObjectFile.open(
            folder.path(of: "objects.db"),
            creating: true,
            environment: StoreEnvironment(now: { clock.now }, random: { .random(in: 0 ... .max) }),
            limits: limits
        )
        func apply(_ orders: [WriteOrder]) throws -> [Outcome] {
            try writer.apply(orders[...]).map { try $0.get() }
        }
        let change = FieldChange(name: "n", operation: .set(.int(1)))
        func order(_ mutation: Mutation) throws -> WriteOrder {
            try WriteOrder(mutation, limits: limits.documents)
        }
        let made = try apply([
            order(.create(className: .chat, changes: [change], acl: nil, by: .stranger))
        ])
        guard case .created(let id, _) = made[0] else {
            throw TestFailure.malformed("an outcome that is no creation")
        }
        let update = try order(
            .update(className: .chat, id: id, changes: [change], acl: nil, by: .stranger)
        )
        let count = try writer.connection.prepare("SELECT count(*) FROM change")
        // One step after each transaction is all that lasting load leaves time for.
        var most: Int64 = 0
        for _ in 0..<8 {
            _ = try apply(Array(repeating: update, count: Int(batch)))
            most = max(most, try count.first { $0.integer(0) } ?? 0)
            _ = try writer.upkeep()
            #expect(try count.first { $0.integer(0) } ?? 0 <= limits.changeLogRows)
        }
        #expect(most > limits.changeLogRows)
        #expect(most <= limits.changeLogRows + ObjectWriter.slackRows + batch)
    }

    @Test("a pause is used until nothing is left to prune")
    func prunesInPause() async throws {
        var limits = StoreLimits()
        limits.changeLogRows = 10_000
        let folder = try TemporaryFolder()
        let clock = TestClock()
        do {
            let room = try StoreRoom(folder: folder, limits: limits, clock: clock)
            let id = try await room.create()
            try await withThrowingTaskGroup { group in
                for n in 0..<1_600 {
                    group.addTask { try await room.update(id, [("n", .int(Int64(n)))]) }
                }
                try await group.waitForAll()
            }
        }
        clock.advance(milliseconds: 2 * 86_400_000)
        let room = try StoreRoom(folder: folder, limits: limits, clock: clock)
        let path = folder.path(of: "data/apps/test/objects.db")
        let connection = try SQLiteConnection(path: path, role: .reader)
        let count = try connection.prepare("SELECT count(*) FROM change")
        #expect(try count.first { $0.integer(0) } == 1_600)
        // One write begins it, and nothing else is asked for the rest.
        _ = try await room.create()
        while try count.first({ $0.integer(0) }) != 1 { await Task.yield() }
    }

    @Test("when closing, all that waits is done, however many transactions it takes")
    func closesAfterAll() async throws {
        var limits = StoreLimits()
        limits.transactionMutations = 3
        let room = try StoreRoom(limits: limits)
        let gate = try Gate()
        room.told.onFirst { gate.waitUntilOpen() }
        async let held = room.create()
        await gate.waitForVisitor()
        let closing = try WorkerPool(name: "closing", threads: 1, queueLimit: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = try await room.create() } }
            group.addTask {
                while room.store.queuedCount < 10 { await Task.yield() }
                _ = closing.submit { _ in room.applications.close() }
                while room.threads.opener.submit({ _ in }) { await Task.yield() }
                gate.open()
            }
            try await group.waitForAll()
        }
        _ = try await held
        closing.close()
        #expect(room.told.all.count == 11)
    }
}

/// Holds a thread of the code under test until the test lets it go.
final class Gate: Sendable {
    private let visitors: AsyncStream<Void>
    private let visitor: AsyncStream<Void>.Continuation
    private let permits: Mailbox<Bool>

    init() throws {
        (visitors, visitor) = AsyncStream.makeStream()
        permits = try Mailbox()
    }

    /// Blocks the calling thread, which must not be one that tests run on.
    func waitUntilOpen() {
        visitor.yield()
        _ = try? permits.next()
    }

    func waitForVisitor() async {
        for await _ in visitors { return }
    }

    func open() { permits.put(true) }
}
