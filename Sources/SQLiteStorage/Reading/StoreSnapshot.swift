import EventLoops
import ObjectModel
import Synchronization

/// What the writer tells the readers: how far the commits are, and the classes as of then.
final class StoreSnapshot: Sendable {
    let path: String
    private let commits = Atomic<UInt64>(0)
    private let classes: Guarded<ClassDirectory>

    init(path: String, _ directory: ClassDirectory) {
        self.path = path
        self.classes = Guarded(directory)
    }

    /// The number of the last commit that was told to anyone.
    ///
    /// A read transaction that began at a lower number is too old.
    var commitNumber: UInt64 { commits.load(ordering: .acquiring) }

    var directory: ClassDirectory { classes.withLock { $0 } }

    /// Notes a commit; before its waiters are answered.
    func commit(_ directory: ClassDirectory) {
        classes.withLock { $0 = directory }
        commits.add(1, ordering: .releasing)
    }
}
