import Synchronization

/// Whether a list's task was cancelled: set from any thread, looked at by the thread that lists.
final class ListCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() {
        flag.store(true, ordering: .relaxed)
    }
}
