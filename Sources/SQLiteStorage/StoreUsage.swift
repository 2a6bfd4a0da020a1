import Synchronization

/// When a store was last used and whether its files are open: for closing the idlest one.
final class StoreUsage: Sendable {
    /// Counts the stores of this process; decides the writer thread.
    let number: Int
    private let lastUse = Atomic<UInt64>(0)
    private let opened = Atomic<Bool>(false)
    private let onOpening: @Sendable (_ number: Int) -> Void
    private let tick: @Sendable () -> UInt64

    init(
        number: Int,
        tick: @escaping @Sendable () -> UInt64,
        onOpening: @escaping @Sendable (_ number: Int) -> Void
    ) {
        self.number = number
        self.tick = tick
        self.onOpening = onOpening
    }

    var isOpen: Bool { opened.load(ordering: .relaxed) }
    var latest: UInt64 { lastUse.load(ordering: .relaxed) }

    func noteUse() {
        lastUse.store(tick(), ordering: .relaxed)
    }

    /// A connection was opened; the first of them is told on.
    func noteOpening() {
        if !opened.exchange(true, ordering: .relaxed) { onOpening(number) }
    }

    /// The connections are about to be closed; one that is opened from now on is told on again.
    func noteClosing() {
        opened.store(false, ordering: .relaxed)
    }

    /// The closing was given up: what was open still is.
    func noteStillOpen() {
        opened.store(true, ordering: .relaxed)
    }
}
