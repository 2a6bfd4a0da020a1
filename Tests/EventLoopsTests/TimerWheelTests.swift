import Testing

@testable import EventLoops

@Suite("TimerWheel")
struct TimerWheelTests {
    @Test("rings each slot at its tick, never before, also past one revolution")
    func rings() {
        var wheel = TimerWheel()
        let ticks: [UInt32] = [1, 2, 2, 511, 512, 513, 1_024, 1_500, 5_000]
        for (slot, tick) in ticks.enumerated() { wheel.set(slot, to: tick) }
        var rung: [Int32: UInt32] = [:]
        for tick in UInt32(1)...6_000 {
            var due: [Int32] = []
            wheel.advance(to: tick, due: &due)
            for slot in due { rung[slot] = tick }
        }
        for (slot, tick) in ticks.enumerated() { #expect(rung[Int32(slot)] == tick) }
    }

    @Test("rings everything that became due during a long turn")
    func longTurn() {
        var wheel = TimerWheel()
        for slot in 0..<1_000 { wheel.set(slot, to: UInt32(1 + slot * 3)) }
        var due: [Int32] = []
        wheel.advance(to: 1_500, due: &due)
        #expect(due.count == 500)
        #expect(Set(due) == Set((0..<500).map { Int32($0) }))
    }

    @Test("forgets a slot that is cleared or set anew")
    func clears() {
        var wheel = TimerWheel()
        wheel.set(3, to: 10)
        wheel.set(4, to: 10)
        wheel.set(5, to: 10)
        wheel.clear(4)
        wheel.set(3, to: 20)
        #expect(wheel.tick(of: 4) == 0)
        var due: [Int32] = []
        wheel.advance(to: 15, due: &due)
        #expect(due == [5])
        wheel.advance(to: 20, due: &due)
        #expect(due == [5, 3])
        #expect(wheel.nextTick == nil)
    }

    @Test("knows the next tick in use around the whole ring", arguments: [1, 63, 64, 511, 512])
    func next(distance: UInt32) {
        for start in [UInt32(0), 1, 63, 64, 300, 511, 512, 4_000] {
            var wheel = TimerWheel()
            var due: [Int32] = []
            wheel.advance(to: start, due: &due)
            #expect(wheel.nextTick == nil)
            wheel.set(7, to: start + distance)
            #expect(wheel.nextTick == start + distance)
        }
    }
}
