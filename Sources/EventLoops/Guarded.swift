import Glibc

/// A value that threads share, reached by one at a time: `Synchronization.Mutex` with a lock that
/// the thread sanitizer knows.
///
/// `Mutex` waits inside the standard library, which is not instrumented: under contention the
/// sanitizer reports every access behind it as a race (Swift 6.3.1). A pthread mutex costs the same
/// uncontended, some 15 ns, and its hand-over is seen.
///
/// `@unchecked Sendable`: `value` is touched only by who holds `mutex`, but for `init` and `deinit`,
/// which nobody else can reach.
package struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Takes the value; nobody else may keep a way to it.
    package init(_ initial: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Calls `body` with the value while no other thread is in such a call.
    ///
    /// Not to be nested for the same value: that waits for ever.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }

    /// Calls `body` unless another thread is in a call now; then returns nil at once.
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
