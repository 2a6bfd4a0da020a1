import HatoWire

/// Says when the use of indexes is to be written down; on the writer thread.
struct UseClock {
    /// Since when lists have told which indexes they use.
    let watchedSince: Timestamp
    private let pause: Duration
    private let now: @Sendable () -> Timestamp
    private var written: Timestamp

    init(_ environment: StoreEnvironment, _ limits: StoreLimits) {
        pause = limits.indexUsePause
        now = environment.now
        watchedSince = environment.now()
        written = watchedSince
    }

    /// Whatever way the clock has jumped: a pause is over when it shows another time.
    var isDue: Bool {
        let gone = now().duration(since: written)
        return max(gone, .zero - gone) >= pause
    }

    mutating func noteWriting() { written = now() }
}
