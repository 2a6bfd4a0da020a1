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

    private final class Counted: Sendable {
        private let value = Atomic<Int>(0)
        var total: Int { value.load(ordering: .relaxed) }
        func add() { value.wrappingAdd(1, ordering: .relaxed) }
    }
}
