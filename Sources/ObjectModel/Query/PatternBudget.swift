import Glibc

/// What a query may still spend on searches that cost more than searches do.
///
/// Each search has some time free, by the length of its text: an honest pattern pays nothing, however
/// many documents it is asked of. One that goes back and forth takes many times as long, and pays
/// the rest. A search is timed by the wall clock, which is cheap to read, unless it took so long that
/// its thread may have been kept waiting: then it pays what the processor did for it. So a busy machine
/// makes no pattern costly.
///
/// Times are nanoseconds: a search and its two looks at the clock take some hundred of them.
struct PatternBudget: Sendable {
    private var left: Int64
    private let limits: PatternLimits

    // The search that runs.
    private var begin: Int64 = 0
    private var free: Int64 = 0

    private var searchCount = 0
    /// What the processor had done for the thread a few searches ago.
    private var mark: Int64 = 0

    /// A search of more time by the wall clock is looked at by the processor's, which takes 0.5 µs.
    static let doubtfulTime: Int64 = 500_000
    private static let searchesBetweenMarks = 64

    init(_ limits: PatternLimits) {
        self.limits = limits
        left = Int64(limits.time / .nanoseconds(1))
    }

    /// Whether no search may begin any more.
    var isSpent: Bool { left <= 0 }

    mutating func beginSearch(inTextOf bytes: Int) {
        if searchCount % PatternBudget.searchesBetweenMarks == 0 {
            mark = PatternBudget.time(by: CLOCK_THREAD_CPUTIME_ID)
        }
        searchCount &+= 1
        free = limits.freeNanoseconds(inTextOf: bytes)
        begin = PatternBudget.time(by: CLOCK_MONOTONIC)
    }

    /// Whether the search that runs has used up what was left.
    var isOver: Bool { price >= left }

    mutating func endSearch() {
        left -= price
    }

    private var price: Int64 {
        PatternBudget.price(
            wallTime: PatternBudget.time(by: CLOCK_MONOTONIC) &- begin,
            processorTime: PatternBudget.time(by: CLOCK_THREAD_CPUTIME_ID) &- mark,
            free: free
        )
    }

    /// What a search costs: its time, as far as it was not free.
    ///
    /// `processorTime` may be more than the search's, and is asked for only where `wallTime` is in doubt.
    static func price(
        wallTime: Int64,
        processorTime: @autoclosure () -> Int64,
        free: Int64
    ) -> Int64 {
        // Nearly always.
        guard wallTime > free else { return 0 }
        let time = wallTime <= doubtfulTime ? wallTime : min(wallTime, processorTime())
        return max(time &- free, 0)
    }

    private static func time(by clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
