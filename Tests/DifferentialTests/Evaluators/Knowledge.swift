import HatoWire
import ObjectModel
import Synchronization

/// What a store under test shares with its test: the clock, how far indexes may be built, and what
/// the observer was told.
final class Knowledge: Sendable {
    /// 2026-01-01T00:00:00.000Z.
    private let milliseconds = Atomic<Int64>(1_767_225_600_000)
    private let lastBuiltRow = Atomic<Int64>(.max)
    private let objects = Mutex<[Text: StoredObject]>([:])

    var now: Timestamp {
        Timestamp(millisecondsSinceEpoch: milliseconds.load(ordering: .relaxed))
    }

    func advance() { milliseconds.add(1_000, ordering: .relaxed) }

    /// Lets objects up to `row` into indexes, and no more.
    func hold(after row: Int64) { lastBuiltRow.store(row, ordering: .relaxed) }

    func mayBuild(after row: Int64) -> Bool {
        row < lastBuiltRow.load(ordering: .relaxed)
    }

    func learn(_ changes: [Change]) {
        objects.withLock { objects in
            for change in changes {
                if let after = change.after { objects[after.id] = after }
            }
        }
    }

    func object(_ id: Text) -> StoredObject? {
        objects.withLock { $0[id] }
    }
}
