import EventLoops
import CLinux
import Glibc

/// Waits on a plain thread for an async result; for the command line and its socket only, never on
/// a loop: the calling thread sleeps in `read` on an eventfd until the task has finished.
func waitForResult<Success: Sendable>(
    _ body: @escaping @Sendable () async -> Success
) -> Success? {
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let box = ResultBox<Success>()
    Task {
        let result = await body()
        box.value.withLock { $0 = result }
        eventfd_write(descriptor, 1)
    }
    var count: eventfd_t = 0
    while eventfd_read(descriptor, &count) != 0 {
        guard errno == EINTR else { return nil }
    }
    return box.value.withLock { $0 }
}

private final class ResultBox<Value: Sendable>: Sendable {
    let value = Guarded<Value?>(nil)
}
