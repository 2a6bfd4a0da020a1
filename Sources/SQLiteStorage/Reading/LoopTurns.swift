/// Ends the read transactions of a loop's turn.
///
/// The loops call `endTurn(onLoop:)` at the end of each turn; a reader signs in here when it begins
/// a transaction.
///
/// Invariant of `@unchecked Sendable`: a slot's array is touched on its loop's thread only.
package final class LoopTurns: @unchecked Sendable {
    private final class Slot {
        var readers: [SQLiteReader] = []
    }

    private let slots: [Slot]

    package init(loops count: Int) {
        slots = (0..<count).map { _ in Slot() }
    }

    /// Ends what the turn began; on the loop only.
    package func endTurn(onLoop index: Int) {
        let slot = slots[index]
        guard !slot.readers.isEmpty else { return }
        for reader in slot.readers { reader.endTurn() }
        slot.readers.removeAll(keepingCapacity: true)
    }

    /// Has the reader told of the turn's end.
    ///
    /// Returns false for a loop that has no turns here.
    func add(_ reader: SQLiteReader, onLoop index: Int) -> Bool {
        guard slots.indices.contains(index) else { return false }
        slots[index].readers.append(reader)
        return true
    }
}
