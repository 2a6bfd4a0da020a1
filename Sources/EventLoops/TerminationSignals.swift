import CLinux
import Glibc

/// SIGTERM and SIGINT, and SIGHUP if wanted, waited for by the main thread instead of interrupting one.
package enum TerminationSignals {
    package enum Event: Sendable {
        case termination, hangup
        /// None came in the time.
        case none
    }

    /// Keeps the signals pending in this thread and all it starts later: the first call of `main`.
    ///
    /// Without `hangups` SIGHUP goes on to end the process.
    package static func block(hangups: Bool = false) {
        _ = hato_block_termination_signals(hangups ? 1 : 0)
    }

    /// Waits for one of them, at most for `span`.
    package static func wait(atMost span: Duration? = nil) -> Event {
        let milliseconds = span.map { Int32(clamping: $0.clampedNanoseconds / 1_000_000) } ?? -1
        switch hato_wait_termination_signal(milliseconds) {
        case 0: return .none
        case SIGHUP: return .hangup
        default: return .termination
        }
    }

    /// From here on SIGTERM or SIGINT ends the process at once with 1: for a stop that takes too long.
    ///
    /// Called on the thread that has waited; one that is pending already counts.
    package static func endProcessAtNext() {
        _ = hato_exit_at_termination_signal()
    }
}
