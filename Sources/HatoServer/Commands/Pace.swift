import EventLoops

/// Lets something happen once in a while: for the first time when the first pause is over.
final class Pace: Sendable {
    private let pause: Duration
    private let latest = Guarded(ContinuousClock.now)

    init(_ pause: Duration) {
        self.pause = pause
    }

    /// Whether it is time; then a pause begins.
    func isDue() -> Bool {
        let now = ContinuousClock.now
        return latest.withLock { latest in
            guard now - latest >= pause else { return false }
            latest = now
            return true
        }
    }
}
