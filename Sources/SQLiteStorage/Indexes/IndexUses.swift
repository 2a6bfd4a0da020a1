import EventLoops
import SQLStorage
import Synchronization

/// Which indexes lists have used since the writer last wrote that down.
///
/// A list thread takes the lock once for each index and round: what it costs a list is the look into a
/// set of its own.
final class IndexUses: Sendable {
    /// What one list thread has told in a round.
    struct Told {
        fileprivate var round: UInt64 = 0
        fileprivate var numbers: Set<Int64> = []
    }

    private let numbers = Guarded<Set<Int64>>([])
    private let round = Atomic<UInt64>(0)

    func note(_ index: FieldIndex, _ told: inout Told) {
        let now = round.load(ordering: .relaxed)
        if told.round != now { told = Told(round: now) }
        guard told.numbers.insert(index.number).inserted else { return }
        numbers.withLock { _ = $0.insert(index.number) }
    }

    /// Returns the numbers of those indexes.
    var current: Set<Int64> { numbers.withLock { $0 } }

    /// Begins a round, after `written` is on the disk.
    func forget(_ written: Set<Int64>) {
        numbers.withLock { $0.subtract(written) }
        round.add(1, ordering: .relaxed)
    }
}
