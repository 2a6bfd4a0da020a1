import CLinux
import Glibc

/// A lock with a condition, for state that threads wait on.
///
/// `@unchecked Sendable`: `state` is touched only by `withLock` and `wait`, which hold the lock.
final class ThreadSignal<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Changes the state and wakes one waiter, or all.
    func change<Result>(wakesAll: Bool = false, _ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        let result = body(&state)
        pthread_mutex_unlock(mutex)
        if wakesAll {
            pthread_cond_broadcast(condition)
        } else {
            pthread_cond_signal(condition)
        }
        return result
    }

    /// Waits until `body` returns a value.
    func wait<Result>(_ body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits until `body` returns a value, at most until the monotonic time `deadline`.
    func wait<Result>(
        untilNanoseconds deadline: UInt64,
        _ body: (inout State) -> Result?
    ) -> Result? {
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000),
            tv_nsec: Int(deadline % 1_000_000_000)
        )
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT {
                return body(&state)
            }
        }
    }
}
