import CLinux

/// SIGTERM and SIGINT, waited for by the main thread instead of interrupting one.
package enum TerminationSignals {
    /// Keeps the signals pending in this thread and all it starts later: the first call of `main`.
    package static func block() {
        _ = hato_block_termination_signals()
    }

    /// Waits for one of the two and returns its number.
    package static func wait() -> Int32 {
        hato_wait_termination_signal()
    }

    /// From here on either signal ends the process at once with 1: for a stop that takes too long.
    ///
    /// Called on the thread that has waited; one that is pending already counts.
    package static func endProcessAtNext() {
        _ = hato_exit_at_termination_signal()
    }
}
