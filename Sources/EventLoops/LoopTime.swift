import CLinux
import Glibc

/// The time as a loop's turn sees it: read once a turn.
package struct LoopTime: Sendable, Equatable {
    /// Nanoseconds of a clock that never jumps; its zero means nothing.
    package let monotonicNanoseconds: UInt64
    /// Milliseconds since 1970.
    package let wallMilliseconds: Int64

    package init(monotonicNanoseconds: UInt64, wallMilliseconds: Int64) {
        self.monotonicNanoseconds = monotonicNanoseconds
        self.wallMilliseconds = wallMilliseconds
    }

    static func read() -> LoopTime {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        return LoopTime(
            monotonicNanoseconds: monotonicNow(),
            wallMilliseconds: Int64(wall.tv_sec) &* 1_000 &+ Int64(wall.tv_nsec) / 1_000_000
        )
    }

    /// Nanoseconds of the same clock, read now.
    package static func monotonicNow() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

extension Duration {
    /// Whole nanoseconds, none if negative, at most 292 years.
    var clampedNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (scaled, overflowed) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflowed, scaled < UInt64(Int64.max) - 1_000_000_000 else {
            return UInt64(Int64.max)
        }
        return scaled + UInt64(attoseconds) / 1_000_000_000
    }
}
