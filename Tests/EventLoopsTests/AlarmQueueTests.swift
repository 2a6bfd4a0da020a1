import HatoTesting
import Testing

@testable import EventLoops

@Suite("AlarmQueue")
struct AlarmQueueTests {
    @Test("rings by time, and in the order of setting at equal times")
    func order() throws {
        let rung = try Mailbox<Int>()
        var queue = AlarmQueue()
        var generator = SeededGenerator(seed: 7)
        let times = (0..<200).map { _ in UInt64.random(in: 0..<50, using: &generator) }
        for (index, time) in times.enumerated() {
            queue.add(at: time) { rung.put(index) }
        }
        #expect(queue.nextDue == times.min())
        while let work = queue.takeDue(by: 49) { work() }
        let expected = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        #expect(try rung.all() == expected)
        #expect(queue.nextDue == nil)
    }

    @Test("keeps what is not due yet")
    func notDue() {
        var queue = AlarmQueue()
        queue.add(at: 10) {}
        #expect(queue.takeDue(by: 9) == nil)
        #expect(queue.takeDue(by: 10) != nil)
    }
}
