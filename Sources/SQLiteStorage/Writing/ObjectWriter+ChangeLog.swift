import HatoWire
import ObjectModel
import SQLStorage

/// Reading the change log back.
extension ObjectWriter {
    private struct Entry {
        let sequence: Int64
        let kind: Change.Kind
        let row: Int64
        /// Absent for a creation.
        let before: StoredObject?
    }

    /// Returns the changes after `sequence` in their order, as they were first told.
    ///
    /// Walks backwards from now: what an object is after a change is what it was before the next.
    /// The settings are the class's of now, which a transaction that was not told may have changed.
    /// Meant for the gap that a failed commit leaves, not for long histories.
    func changes(after sequence: Int64) throws -> [Change] {
        var images: [Int64: StoredObject] = [:]
        var changes: [Change] = []
        for entry in try entries(after: sequence).sorted(by: { $0.sequence > $1.sequence }) {
            guard let className = state.directory.name(ofRow: entry.row),
                let record = state.directory[className]
            else { continue }
            let isGone = entry.kind == .delete
            let after = isGone ? nil : try images[entry.row] ?? current(entry.row)
            images[entry.row] = entry.before
            changes.append(
                Change(
                    sequence: entry.sequence,
                    kind: entry.kind,
                    className: className,
                    settings: record.settings,
                    before: entry.before,
                    after: after
                )
            )
        }
        return changes.reversed()
    }

    private func entries(after sequence: Int64) throws -> [Entry] {
        var entries: [Entry] = []
        var created: Set<Int64> = []
        let logged = try connection.prepare(
            """
            SELECT row, id, created, updated, acl, doc, sequence, kind
            FROM change WHERE sequence > ?1
            """
        )
        logged.bind(1, sequence)
        while try logged.step() {
            let row = logged.integer(0)
            guard let kind = Change.Kind(logNumber: logged.integer(7)) else { continue }
            entries.append(
                Entry(
                    sequence: logged.integer(6),
                    kind: kind,
                    row: row,
                    before: logged.storedObject()
                )
            )
            if ClassRows.sequence(ofRow: row) > sequence { created.insert(row) }
        }
        let living = try connection.prepare("SELECT row FROM object WHERE row > ?1 AND row <= ?2")
        try state.directory.forEach { _, record in
            living.bind(1, record.rows.row(ofCreation: sequence))
            living.bind(2, record.rows.last)
            while try living.step() { created.insert(living.integer(0)) }
            living.reset()
        }
        for row in created {
            let sequence = ClassRows.sequence(ofRow: row)
            entries.append(Entry(sequence: sequence, kind: .create, row: row, before: nil))
        }
        return entries
    }

    private func current(_ row: Int64) throws -> StoredObject? {
        statements.objectByRow.bind(1, row)
        return try statements.objectByRow.first { $0.storedObject() }
    }
}

extension Change.Kind {
    /// How the change log writes it.
    var logNumber: Int64 {
        switch self {
        case .create: 1
        case .update: 2
        case .delete: 3
        }
    }

    init?(logNumber: Int64) {
        switch logNumber {
        case 1: self = .create
        case 2: self = .update
        case 3: self = .delete
        default: return nil
        }
    }
}
