import Synchronization

/// A bound over bytes that many hold together, counted from any thread.
///
/// Below the limit is a mark: past it `whenPressed` is called, so that who holds bytes for nothing gives
/// them back before anybody has to be refused.
package final class ByteBudget: Sendable {
    /// What is held with leave is never more, but for one holder alone.
    package let limit: Int
    /// Three quarters of the limit.
    package let mark: Int
    private let total = Atomic(0)
    /// Whether `whenPressed` was called and has not been heeded yet.
    private let isPressed = Atomic(false)
    private let whenPressed: @Sendable () -> Void

    /// `whenPressed` comes on whatever thread passes the mark, once until `relieved`.
    package init(limit: Int, whenPressed: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        self.mark = limit - limit / 4
        self.whenPressed = whenPressed
    }

    /// The bytes that are held.
    package var bytes: Int { total.load(ordering: .relaxed) }

    package var isPastMark: Bool { bytes > mark }

    /// Counts a change that has happened, whatever the limit.
    package func note(_ change: Int) {
        let now = total.wrappingAdd(change, ordering: .relaxed).newValue
        if change > 0, now > mark { press() }
    }

    /// Tells that what `whenPressed` has asked for is being done; the next to pass the mark asks anew.
    package func relieved() {
        isPressed.store(false, ordering: .relaxed)
    }

    /// Takes `more` for a holder that has `own`; false when there is no room.
    fileprivate func take(_ more: Int, having own: Int) -> Bool {
        let now = total.wrappingAdd(more, ordering: .relaxed).newValue
        if now > mark { press() }
        // One alone may be as large as its own limit lets it.
        guard now > limit, now != own + more else { return true }
        total.wrappingSubtract(more, ordering: .relaxed)
        return false
    }

    private func press() {
        guard !isPressed.exchange(true, ordering: .relaxed) else { return }
        whenPressed()
    }
}

/// Bytes of a budget that are taken before they are filled, and go where the filled bytes go.
///
/// What it has when its last owner lets go of it is given back. One thread at a time uses it.
package final class ByteReservation: Sendable {
    private let budget: ByteBudget
    private let taken = Atomic(0)

    package init(of budget: ByteBudget) {
        self.budget = budget
    }

    deinit {
        shrink(to: 0)
    }

    package var bytes: Int { taken.load(ordering: .relaxed) }

    /// Takes what is missing to `count`; false when there is no room, and what it has stays.
    package func grow(to count: Int) -> Bool {
        let own = bytes
        guard count > own else { return true }
        guard budget.take(count - own, having: own) else { return false }
        taken.store(count, ordering: .relaxed)
        return true
    }

    /// Gives back what is more than `count`.
    package func shrink(to count: Int) {
        let own = bytes
        guard count < own else { return }
        taken.store(count, ordering: .relaxed)
        budget.note(count - own)
    }

    /// Returns what it has, which from here on somebody else counts.
    package func handOver() -> Int {
        taken.exchange(0, ordering: .relaxed)
    }
}
