import EventLoops
import ObjectModel
import Synchronization

/// The shapes of lists that were slow: their like is given up sooner where quick lists run.
///
/// Not given up at once: with other values the same shape may be quick. A store of quick lists alone
/// pays one look at a counter.
final class SlowLists: Sendable {
    /// Shapes that are remembered; with one more all are forgotten.
    static let limit = 1_024

    private let shapes = Guarded<Set<Int>>([])
    private let count = Atomic(0)

    func contains(_ query: Query) -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        let shape = SlowLists.shape(of: query)
        return shapes.withLock { $0.contains(shape) }
    }

    func add(_ query: Query) {
        let shape = SlowLists.shape(of: query)
        shapes.withLock { shapes in
            if shapes.count >= SlowLists.limit, !shapes.contains(shape) { shapes.removeAll() }
            shapes.insert(shape)
            count.store(shapes.count, ordering: .relaxed)
        }
    }

    func remove(_ query: Query) {
        let shape = SlowLists.shape(of: query)
        shapes.withLock { shapes in
            shapes.remove(shape)
            count.store(shapes.count, ordering: .relaxed)
        }
    }

    /// Two shapes with one hash only share how soon they are given up.
    private static func shape(of query: Query) -> Int {
        var hasher = Hasher()
        query.hashShape(into: &hasher)
        return hasher.finalize()
    }
}
