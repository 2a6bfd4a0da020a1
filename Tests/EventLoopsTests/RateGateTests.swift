import EventLoops
import Synchronization
import Testing

@Suite("RateGate")
struct RateGateTests {
    /// A clock that a test sets.
    private final class Clock: Sendable {
        let nanoseconds = Atomic<UInt64>(5)
    }

    @Test("lets one a span through for each key, and tells how many it has held back")
    func spans() {
        let clock = Clock()
        let gate = RateGate<String>(
            span: .seconds(1),
            monotonicNanoseconds: { clock.nanoseconds.load(ordering: .relaxed) }
        )
        #expect(gate.pass("a") == 0)
        #expect(gate.pass("a") == nil)
        #expect(gate.pass("b") == 0)
        clock.nanoseconds.store(1_000_000_004, ordering: .relaxed)
        #expect(gate.pass("a") == nil)
        clock.nanoseconds.store(1_000_000_005, ordering: .relaxed)
        #expect(gate.pass("a") == 2)
        #expect(gate.pass("b") == 0)
        #expect(gate.pass("a") == nil)
    }

    @Test("remembers keys up to its limit, holds a further one back, and forgets those long past")
    func keys() {
        let clock = Clock()
        let gate = RateGate<Int>(
            span: .seconds(1),
            keyLimit: 3,
            monotonicNanoseconds: { clock.nanoseconds.load(ordering: .relaxed) }
        )
        for key in 0..<3 { #expect(gate.pass(key) == 0) }
        #expect(gate.pass(3) == nil)
        clock.nanoseconds.store(2_000_000_000, ordering: .relaxed)
        #expect(gate.pass(3) == 0)
    }
}
