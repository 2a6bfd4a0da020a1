/// Lets one event a span through for each key and counts those it holds back: so that a cause that
/// repeats with every request writes a line a second.
///
/// Any thread.
package final class RateGate<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        var opensAtNanoseconds: UInt64
        var heldBack: UInt64
    }

    private let spanNanoseconds: UInt64
    private let keyLimit: Int
    private let monotonicNanoseconds: @Sendable () -> UInt64
    private let entries = Guarded<[Key: Entry]>([:])

    /// `keyLimit` bounds the keys that are remembered at a time; further ones are held back until
    /// the span of another has passed.
    package init(
        span: Duration,
        keyLimit: Int = 1_024,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64 = { LoopTime.monotonicNow() }
    ) {
        spanNanoseconds = span.clampedNanoseconds
        self.keyLimit = keyLimit
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// Returns how many events of `key` were held back since the last that passed, or nil when this
    /// one is held back too.
    package func pass(_ key: Key) -> UInt64? {
        let now = monotonicNanoseconds()
        return entries.withLock { entries in
            if let entry = entries[key], now < entry.opensAtNanoseconds {
                entries[key]?.heldBack &+= 1
                return nil
            }
            if entries[key] == nil, entries.count >= keyLimit {
                entries = entries.filter { now < $0.value.opensAtNanoseconds }
                guard entries.count < keyLimit else { return nil }
            }
            let heldBack = entries[key]?.heldBack ?? 0
            entries[key] = Entry(opensAtNanoseconds: now &+ spanNanoseconds, heldBack: 0)
            return heldBack
        }
    }
}
