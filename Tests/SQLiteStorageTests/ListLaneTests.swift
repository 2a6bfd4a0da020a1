import HatoTesting
import HatoWire
import ObjectModel
import Telemetry
import Testing

@testable import SQLiteStorage

/// Quick lists and slow ones, which stand at a gate until the test opens it.
@Suite("Lanes of lists")
struct ListLaneTests {
    /// Every list that SQLite looks up from is slow: one that looks at more than some hundred rows.
    private static func limits(slowThreads: Int) -> StoreLimits {
        var limits = StoreLimits()
        limits.listThreads = 1
        limits.slowListThreads = slowThreads
        limits.listSlice = .zero
        limits.knownSlowSlice = .zero
        limits.listDeadline = .seconds(3_600)
        return limits
    }

    /// Looks at each of 1,500 objects and finds none.
    private static let scan = Query(
        className: .chat,
        filter: .field("n", .less(.int(-1))),
        limit: 1_000
    )

    private func start(
        _ store: SQLiteStore,
        _ list: GatedList
    ) -> Task<ObjectList, any Error> {
        Task { try await store.list(ListLaneTests.scan, in: list.envelope, as: .administrator) }
    }

    @Test("while slow lists of one class run and wait, a quick list of the class is answered")
    func quickBesidesSlow() async throws {
        let room = try StoreRoom(limits: ListLaneTests.limits(slowThreads: 3))
        try await room.fill(count: 1_500)
        let first = try GatedList(passes: 1)
        let gated = [first] + (try (0..<3).map { _ in try GatedList(passes: 1, sharing: first) })
        let tasks = gated.map { start(room.store, $0) }
        // Two places are there for slow lists of one application; the others wait.
        for _ in 0..<2 { try await first.waitUntilOpened() }
        for n in 0..<10 {
            #expect(try await room.list(limit: 1, skip: n, as: .administrator).numbers.count == 1)
        }
        #expect(try gated.flatMap { try $0.closed.all() }.isEmpty, "a slow list came to its end")
        for _ in gated { first.gate.put(true) }
        for task in tasks { #expect(try await task.value.json.isEmpty) }
    }

    @Test("one application's slow lists leave a thread to the slow lists of others")
    func slowBesidesSlow() async throws {
        let room = try StoreRoom(limits: ListLaneTests.limits(slowThreads: 2))
        let other = try room.addStore("other")
        try await room.fill(count: 1_500)
        try await room.fill(count: 1_500, of: other)
        let first = try GatedList(passes: 1)
        let firstTask = start(room.store, first)
        try await first.waitUntilOpened()
        // Waits although a thread is free.
        let second = try GatedList(passes: 1)
        let secondTask = start(room.store, second)
        let others = try GatedList(passes: 1)
        let othersTask = start(other, others)
        try await others.waitUntilOpened()
        others.gate.put(true)
        #expect(try await othersTask.value.json.isEmpty)
        #expect(try second.opened.all().isEmpty, "two slow lists of one application ran")
        first.gate.put(true)
        #expect(try await firstTask.value.json.isEmpty)
        try await second.waitUntilOpened()
        second.gate.put(true)
        #expect(try await secondTask.value.json.isEmpty)
    }

    @Test("a list within its slice is not asked again, one past it is, and both are answered")
    func slices() async throws {
        var limits = ListLaneTests.limits(slowThreads: 1)
        limits.listSlice = .seconds(3_600)
        for slice in [Duration.seconds(3_600), .zero] {
            limits.listSlice = slice
            let room = try StoreRoom(limits: limits)
            try await room.fill(count: 1_500)
            let openings = try Mailbox<Bool>()
            let envelope = ListEnvelope(open: { _, _ in openings.put(true) }, close: { _ in })
            let list = try await room.store.list(
                ListLaneTests.scan,
                in: envelope,
                as: .administrator
            )
            #expect(list.json.isEmpty)
            #expect(try openings.all().count == (slice == .zero ? 2 : 1))
        }
    }

    @Test(
        "a list past its slice goes on unless another waits for its thread",
        arguments: [false, true]
    )
    func givesWay(isWanted: Bool) async throws {
        var limits = StoreLimits()
        limits.listSlice = .seconds(3_600)
        limits.knownSlowSlice = .zero
        let room = try StoreRoom(limits: limits)
        try await room.fill(count: 1_500)
        let slowLists = SlowLists()
        slowLists.add(ListLaneTests.scan)
        var directory = ClassDirectory()
        _ = try directory.add(.chat, ClassSettings())
        let reader = ListReader(
            StoreSnapshot(path: room.store.path, directory),
            limits: limits,
            advisor: IndexAdvisor(limits),
            uses: IndexUses(),
            slowLists: slowLists,
            cacheBytes: 0,
            answers: ByteBudget(limit: .max),
            onWay: nil,
            onOpening: {}
        )
        let answer = reader.answer(
            ListLaneTests.scan,
            in: .bare,
            as: .administrator,
            before: ContinuousClock.now + .seconds(3_600),
            mayGiveWay: { isWanted },
            unless: { false }
        )
        if isWanted {
            #expect(answer == nil)
        } else {
            #expect(try answer?.get().json.isEmpty == true)
        }
        reader.close()
    }

    @Test("what an operator asks is answered while all quick threads are busy")
    func operatorsQuestions() async throws {
        let room = try StoreRoom(limits: ListLaneTests.limits(slowThreads: 1))
        _ = try await room.create()
        let busy = try GatedList()
        let task = Task {
            try await room.store.list(Query(className: .chat), in: busy.envelope, as: .stranger)
        }
        try await busy.waitUntilOpened()
        #expect(try await room.store.classes().map(\.objectCount) == [1])
        busy.gate.put(true)
        _ = try await task.value
    }

    @Test("a list that waits answers at its deadline although no thread becomes free")
    func lateWhileWaiting() async throws {
        var limits = ListLaneTests.limits(slowThreads: 1)
        limits.listDeadline = .seconds(1)
        limits.listSlice = .seconds(3_600)
        let room = try StoreRoom(limits: limits)
        _ = try await room.create()
        let busy = try GatedList()
        let running = Task {
            try await room.store.list(Query(className: .chat), in: busy.envelope, as: .stranger)
        }
        try await busy.waitUntilOpened()
        let waiting = Task { try await room.store.list(Query(className: .chat), as: .stranger) }
        #expect(try await waiting.unavailability == "the list waited until its deadline")
        busy.gate.put(true)
        _ = try await running.value
    }

    @Test("a slow list that waits for a place answers at its deadline, and those before it go on")
    func lateWhileWaitingForSlow() async throws {
        var limits = ListLaneTests.limits(slowThreads: 1)
        limits.listDeadline = .seconds(1)
        let room = try StoreRoom(limits: limits)
        try await room.fill(count: 1_500)
        let first = try GatedList(passes: 1)
        let running = start(room.store, first)
        try await first.waitUntilOpened()
        let waiting = start(room.store, try GatedList(passes: 1))
        #expect(try await waiting.unavailability == "the list waited until its deadline")
        #expect(try first.closed.all().isEmpty)
        first.gate.put(true)
        _ = await running.result
    }

    @Test("remembers so many slow shapes, whatever their values, and begins anew past them")
    func slowShapes() {
        let lists = SlowLists()
        func query(_ field: Int, _ value: Int64 = 0) -> Query {
            Query(
                className: .chat,
                filter: .field(Text("f\(field)"), .less(.int(value))),
                limit: 1
            )
        }
        for field in 0..<SlowLists.limit { lists.add(query(field)) }
        #expect(lists.contains(query(0, 7)))
        #expect(lists.contains(query(SlowLists.limit - 1)))
        lists.add(query(SlowLists.limit))
        #expect(!lists.contains(query(0)))
        #expect(lists.contains(query(SlowLists.limit)))
        lists.remove(query(SlowLists.limit, 9))
        #expect(!lists.contains(query(SlowLists.limit)))
    }
}
