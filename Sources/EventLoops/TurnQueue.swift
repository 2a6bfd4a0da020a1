import Synchronization

/// What becomes of a job that was queued in a `WorkerPool`.
package enum WorkerTurn: Sendable, Equatable {
    /// It runs now; no other running job of its key has this place, which is below `threadsPerKey`.
    case began(place: Int)
    /// Its deadline came first.
    case late
    /// The pool closed first.
    case discarded
}

/// How many jobs wait; any thread.
final class WaitingJobs: Sendable {
    let count = Atomic(0)
}

/// Jobs that wait for a thread: a line for each key, and the keys take turns.
///
/// A key is a small number; the lines stand in an array. Adding and taking cost the same however
/// many wait.
struct TurnQueue {
    struct Job {
        let deadline: ContinuousClock.Instant?
        let body: @Sendable (WorkerTurn) -> Void
    }

    /// A job at its start.
    struct Start {
        let key: Int
        let place: Int
        let body: @Sendable (WorkerTurn) -> Void
    }

    private struct Line {
        var jobs = FirstInFirstOut<Job>()
        /// A bit for each place that a running job has.
        var places: UInt64 = 0
        /// Whether the line stands in `turns`.
        var hasTurn = false
    }

    private var lines: [Line] = []
    private var turns = FirstInFirstOut<Int>()
    private let threadsPerKey: Int
    private let lineLimit: Int
    private(set) var count = 0 {
        didSet { waiting.count.store(count, ordering: .relaxed) }
    }
    /// `count` for those who don't hold the queue's lock.
    let waiting = WaitingJobs()
    private(set) var isClosed = false
    /// When the next job's deadline may be; none is before it.
    private(set) var nextDeadline: ContinuousClock.Instant?

    /// `threadsPerKey`: jobs of one key that run at once, at most 64; `lineLimit`: those that wait.
    init(threadsPerKey: Int, lineLimit: Int) {
        self.threadsPerKey = min(max(threadsPerKey, 1), UInt64.bitWidth)
        self.lineLimit = lineLimit
    }

    /// Queues a job; false when its line is full or the queue closed.
    mutating func add(_ job: Job, for key: Int) -> Bool {
        while lines.count <= key { lines.append(Line()) }
        guard !isClosed, lines[key].jobs.count < lineLimit else { return false }
        lines[key].jobs.append(job)
        count += 1
        giveTurn(key)
        if let deadline = job.deadline, nextDeadline.map({ deadline < $0 }) ?? true {
            nextDeadline = deadline
        }
        return true
    }

    /// Takes the job whose turn it is.
    mutating func take() -> Start? {
        while let key = turns.takeFirst() {
            lines[key].hasTurn = false
            // A line whose jobs were all late had its turn for nothing.
            guard let job = lines[key].jobs.takeFirst() else { continue }
            count -= 1
            let place = (~lines[key].places).trailingZeroBitCount
            lines[key].places |= 1 << UInt64(place)
            giveTurn(key)
            return Start(key: key, place: place, body: job.body)
        }
        return nil
    }

    /// The job that was taken so has ended.
    mutating func end(_ start: Start) {
        lines[start.key].places &= ~(1 << UInt64(start.place))
        giveTurn(start.key)
    }

    /// Removes the jobs whose deadline has come.
    mutating func takeLate(at now: ContinuousClock.Instant) -> [Job] {
        var late: [Job] = []
        nextDeadline = nil
        for key in lines.indices {
            late += lines[key].jobs.takeAll { $0.deadline.map { $0 <= now } ?? false }
            lines[key].jobs.forEach { job in
                guard let deadline = job.deadline else { return }
                nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
            }
        }
        count -= late.count
        return late
    }

    /// Takes no more; what waits stays, or is removed and returned.
    mutating func close(discardsWaiting: Bool) -> [Job] {
        isClosed = true
        var discarded: [Job] = []
        if discardsWaiting {
            for key in lines.indices { discarded += lines[key].jobs.takeAll { _ in true } }
            count = 0
        }
        return discarded
    }

    private mutating func giveTurn(_ key: Int) {
        guard !lines[key].hasTurn, lines[key].jobs.count > 0,
            lines[key].places.nonzeroBitCount < threadsPerKey
        else { return }
        lines[key].hasTurn = true
        turns.append(key)
    }
}

/// A line of elements.
private struct FirstInFirstOut<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var count: Int { elements.count - first }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func takeFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first]
        elements[first] = nil
        first += 1
        // Compacting at half keeps the take O(1) on average (what was taken is freed above).
        if first == elements.count || first > 64 && first * 2 > elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Takes the elements of which `isTaken` is true; the others stay in order.
    mutating func takeAll(where isTaken: (Element) -> Bool) -> [Element] {
        let all = elements[first...].compactMap { $0 }
        let taken = all.filter(isTaken)
        guard !taken.isEmpty else { return [] }
        elements = all.filter { !isTaken($0) }
        first = 0
        return taken
    }

    func forEach(_ body: (Element) -> Void) {
        for case let element? in elements[first...] { body(element) }
    }
}
