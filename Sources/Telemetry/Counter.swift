import Synchronization

/// A number that only rises, counted from any thread: accepted connections, requests, refusals.
package final class Counter: Sendable {
    private let total = Atomic<UInt64>(0)

    package init() {}

    /// Adds `amount`; wraps after 2^64.
    package func add(_ amount: UInt64 = 1) {
        total.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The sum so far.
    package var value: UInt64 {
        total.load(ordering: .relaxed)
    }
}

/// A number that rises and falls, counted from any thread: open connections, queued jobs.
package final class Gauge: Sendable {
    private let level = Atomic<Int>(0)

    package init() {}

    /// Changes the level by `amount` and returns what it is then.
    @discardableResult
    package func change(by amount: Int) -> Int {
        level.wrappingAdd(amount, ordering: .relaxed).newValue
    }

    /// The level now.
    package var value: Int {
        level.load(ordering: .relaxed)
    }
}
