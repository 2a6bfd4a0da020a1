import EventLoops
import Foundation
import HatoTesting
import Testing

@Suite("Guarded")
struct GuardedTests {
    @Test("lets one thread at a time change the value")
    func exclusion() throws {
        let shared = Shared()
        let done = try Mailbox<Int>()
        for thread in 0..<4 {
            Thread.detachNewThread {
                for number in 0..<2_000 {
                    shared.counts.withLock { $0[number % 7, default: 0] += 1 }
                }
                done.put(thread)
            }
        }
        for _ in 0..<4 { _ = try done.next("a thread") }
        #expect(shared.counts.withLock { $0.values.reduce(0, +) } == 8_000)
    }

    @Test("is free again after its body has thrown")
    func throwing() {
        let shared = Shared()
        #expect(throws: CancellationError.self) {
            try shared.counts.withLock { counts in
                counts[0] = 1
                throw CancellationError()
            }
        }
        #expect(shared.counts.withLock { $0[0] } == 1)
    }

    private final class Shared: Sendable {
        let counts = Guarded<[Int: Int]>([:])
    }
}
