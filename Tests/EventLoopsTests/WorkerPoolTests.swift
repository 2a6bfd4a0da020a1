import EventLoops
import HatoTesting
import Synchronization
import Testing

@Suite("WorkerPool")
struct WorkerPoolTests {
    @Test("runs jobs on its threads and returns their results")
    func results() async throws {
        let pool = try WorkerPool(name: "test", threads: 3, queueLimit: 100)
        let results = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<50 {
                group.addTask { try await pool.run { thread in (number * number, thread) } }
            }
            return try await group.reduce(into: [(Int, Int)]()) { $0.append($1) }
        }
        #expect(results.map(\.0).sorted() == (0..<50).map { $0 * $0 })
        #expect(results.allSatisfy { (0..<3).contains($0.1) })
        pool.close()
    }

    @Test("refuses what is past the queue's limit, and takes what is at it")
    func bounded() async throws {
        let pool = try WorkerPool(name: "test", threads: 1, queueLimit: 2)
        let started = try Mailbox<Bool>()
        let gate = try Mailbox<Bool>()
        #expect(
            pool.submit { _ in
                started.put(true)
                _ = try? gate.next("the gate")
            }
        )
        _ = try started.next("the job to start")
        #expect(pool.submit { _ in })
        #expect(pool.submit { _ in })
        #expect(pool.queuedCount == 2)
        #expect(!pool.submit { _ in })
        await #expect(throws: WorkerPoolFull.self) { try await pool.run { _ in 1 } }
        gate.put(true)
        pool.close()
    }

    @Test("runs what waits when it closes, and refuses what comes later")
    func closing() async throws {
        let pool = try WorkerPool(name: "test", threads: 2, queueLimit: 1_000)
        let counter = Counted()
        for _ in 0..<500 { #expect(pool.submit { _ in counter.add() }) }
        pool.close()
        #expect(counter.total == 500)
        #expect(!pool.submit { _ in })
    }

    @Test("keys take turns, however many jobs one of them has queued")
    func turns() throws {
        let pool = try WorkerPool(name: "test", threads: 1, queueLimit: 100)
        let order = try Mailbox<Int>()
        let (started, gate) = (try Mailbox<Bool>(), try Mailbox<Bool>())
        #expect(
            pool.submit { _ in
                started.put(true)
                _ = try? gate.next("the gate")
            }
        )
        _ = try started.next("the job to start")
        for _ in 0..<3 { #expect(pool.enqueue(for: 1) { _ in order.put(1) }) }
        #expect(pool.enqueue(for: 2) { _ in order.put(2) })
        gate.put(true)
        pool.close()
        #expect(try order.all() == [1, 2, 1, 1])
    }

    @Test(
        "runs as many jobs of a key as it may, each in a place of its own, and others beside them"
    )
    func threadsPerKey() throws {
        let pool = try WorkerPool(name: "test", threads: 3, threadsPerKey: 2, queueLimit: 100)
        let places = try Mailbox<Int>()
        let gate = try Mailbox<Bool>()
        for _ in 0..<3 {
            #expect(
                pool.enqueue(for: 1) { turn in
                    if case .began(let place) = turn { places.put(place) }
                    _ = try? gate.next("the gate")
                }
            )
        }
        #expect([try places.next("a job"), try places.next("another")].sorted() == [0, 1])
        #expect(pool.queuedCount == 1)
        let other = try Mailbox<Bool>()
        #expect(pool.enqueue(for: 2) { _ in other.put(true) })
        _ = try other.next("the other key's job")
        #expect(try places.all().isEmpty, "a third job of the key ran")
        for _ in 0..<3 { gate.put(true) }
        _ = try places.next("the third")
        pool.close()
    }

    @Test("one key's queue may be full while another's takes jobs")
    func boundedPerKey() throws {
        let pool = try WorkerPool(name: "test", threads: 1, queueLimit: 1)
        let (started, gate) = (try Mailbox<Bool>(), try Mailbox<Bool>())
        #expect(
            pool.submit { _ in
                started.put(true)
                _ = try? gate.next("the gate")
            }
        )
        _ = try started.next("the job to start")
        #expect(pool.enqueue(for: 1) { _ in })
        #expect(!pool.enqueue(for: 1) { _ in })
        #expect(pool.enqueue(for: 2) { _ in })
        gate.put(true)
        pool.close()
    }

    @Test("a job that waits is told at its deadline, whatever came before it, and never begun")
    func late() throws {
        let pool = try WorkerPool(name: "test", threads: 1, queueLimit: 9, keepsDeadlines: true)
        let (started, gate) = (try Mailbox<Bool>(), try Mailbox<Bool>())
        let told = try Mailbox<WorkerTurn>()
        #expect(
            pool.submit { _ in
                started.put(true)
                _ = try? gate.next("the gate")
            }
        )
        _ = try started.next("the job to start")
        let now = ContinuousClock.now
        #expect(pool.enqueue(before: now + .seconds(3_600)) { told.put($0) })
        #expect(pool.enqueue { told.put($0) })
        #expect(pool.enqueue(before: now + .milliseconds(20)) { told.put($0) })
        #expect(try told.next("the late job") == .late)
        #expect(ContinuousClock.now >= now + .milliseconds(20))
        #expect(pool.queuedCount == 2)
        gate.put(true)
        #expect(try told.next("the first") == .began(place: 0))
        #expect(try told.next("the second") == .began(place: 0))
        pool.close()
        #expect(try told.all().isEmpty)
    }

    private final class Counted: Sendable {
        private let value = Atomic<Int>(0)
        var total: Int { value.load(ordering: .relaxed) }
        func add() { value.wrappingAdd(1, ordering: .relaxed) }
    }
}
