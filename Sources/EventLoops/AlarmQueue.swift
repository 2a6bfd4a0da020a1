/// One-shot calls at a time, earliest first: a binary heap.
struct AlarmQueue {
    private struct Alarm {
        let due: UInt64
        /// Equal times ring in the order they were set.
        let number: UInt64
        let work: @Sendable () -> Void

        func isBefore(_ other: Alarm) -> Bool {
            due != other.due ? due < other.due : number < other.number
        }
    }

    private var heap: [Alarm] = []
    private var lastNumber: UInt64 = 0

    /// Nanoseconds of the monotonic clock at which the next one rings.
    var nextDue: UInt64? {
        heap.first?.due
    }

    mutating func add(at due: UInt64, _ work: @escaping @Sendable () -> Void) {
        lastNumber &+= 1
        heap.append(Alarm(due: due, number: lastNumber, work: work))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the next one that is due by `now`.
    mutating func takeDue(by now: UInt64) -> (@Sendable () -> Void)? {
        guard let first = heap.first, first.due <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.work }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) {
                    least = child
                }
            }
            guard least != parent else { return first.work }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
