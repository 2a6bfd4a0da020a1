import Glibc

/// A moment on the monotonic clock by which something must have happened.
package struct Deadline: Sendable {
    /// Generous, so that only what will never happen runs into it, sanitizers and a busy machine
    /// included.
    package static let usual: Duration = .seconds(180)

    private let instant: ContinuousClock.Instant

    package init(_ duration: Duration = Deadline.usual) {
        self.instant = ContinuousClock.now + duration
    }

    package var hasPassed: Bool { ContinuousClock.now >= instant }

    /// What is left for poll(2): 0 once it has passed, rounded up otherwise.
    package var remainingMilliseconds: CInt {
        let left = instant - ContinuousClock.now
        guard left > .zero else { return 0 }
        return CInt(
            clamping: left.components.seconds * 1_000 + left.components.attoseconds
                / 1_000_000_000_000_000 + 1
        )
    }

    /// Waits until `descriptor` is ready for `events`; false when the deadline passed.
    package func awaits(_ events: CShort, on descriptor: CInt) throws -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let ready = poll(&entry, 1, remainingMilliseconds)
            if ready > 0 { return true }
            if ready == 0 { return false }
            guard errno == EINTR else { throw TestFailure.system(call: "poll", errno: errno) }
        }
    }
}
