import HatoWire
import ObjectModel
import SQLStorage

/// Keeping the keys of indexes with the objects they are of.
///
/// An index that is being built has all keys of the objects up to its `built` row, and of those behind
/// it some that the builder has written, perhaps before a restart. A change of such an object removes
/// what may be there and writes the new keys; new objects are the builder's to come.
extension ObjectWriter {
    /// The keys that one object has in one index.
    struct IndexedKeys {
        let index: FieldIndex
        let keys: FieldKeys
        /// Whether all of them are there; some or none where the builder has not been for certain.
        let areThere: Bool
    }

    /// Returns the keys of a document; `row` nil: of a new object, which only whole indexes take.
    ///
    /// Must come before the mutation writes: a declared index refuses an array of too many elements,
    /// one that is not whole leaves that to `refuseOverfull`. One that the server made itself is given up
    /// instead.
    ///
    /// Errors: `invalidValue` with the field.
    func keys(
        of document: [UInt8],
        _ facts: ObjectFacts,
        row: Int64?,
        in record: ClassRecord
    ) throws -> [IndexedKeys] {
        guard !record.indexes.isEmpty else { return [] }
        let all = record.indexes.filter { row != nil || $0.isReady }.map { index in
            IndexedKeys(
                index: index,
                keys: reader(of: index).keys(document.span, facts),
                areThere: row ?? record.rows.last <= index.built
            )
        }
        let overfull = all.filter(\.keys.isOverfull)
        guard !overfull.isEmpty else { return all }
        // What refuses comes before anything is written.
        if let declared = overfull.first(where: { $0.areThere && $0.index.isDeclared })?.index {
            throw DomainError(.invalidValue, declared.path.text)
        }
        for entry in overfull where !entry.index.isDeclared {
            try abandon(entry.index, ofRow: record.rows.first)
        }
        return all.filter { !$0.keys.isOverfull }
    }

    /// Refuses what an index that is still being built could not take in when it comes to the object.
    ///
    /// An object that did not fit `before` may be changed elsewhere: it is the builder's to find.
    /// Errors: `invalidValue` with the field.
    func refuseOverfull(
        _ document: [UInt8],
        _ facts: ObjectFacts,
        replacing before: [UInt8]? = nil,
        row: Int64,
        in record: ClassRecord
    ) throws {
        for index in record.indexes where index.isDeclared && row > index.built {
            let reader = reader(of: index)
            guard reader.keys(document.span, facts).isOverfull else { continue }
            if let before, reader.keys(before.span, facts).isOverfull { continue }
            throw DomainError(.invalidValue, index.path.text)
        }
    }

    /// Writes the keys of a new object.
    func insert(_ all: [IndexedKeys], row: Int64, isPublic: Bool) throws {
        for entry in all {
            try insert(entry.index, KeyEntry(kind: .whole, key: entry.keys.whole), row, isPublic)
            // Nearly every object has that one alone: no list is made for it.
            guard !entry.keys.isSingle else { continue }
            for key in entry.keys.entries.dropFirst() {
                try insert(entry.index, key, row, isPublic)
            }
        }
    }

    /// Removes the keys of an object that goes.
    func remove(_ all: [IndexedKeys], row: Int64) throws {
        for entry in all {
            for key in entry.keys.entries { try delete(entry.index, key, row) }
            leaveOut(row, entry)
        }
    }

    /// Makes an object's keys what they are after a change; `isPublic`: before and after it.
    func replace(
        _ before: [IndexedKeys],
        by after: [IndexedKeys],
        row: Int64,
        isPublic: (old: Bool, new: Bool)
    ) throws {
        for entry in before {
            // An index that was given up in between has no new keys and is no longer kept.
            guard let new = after.first(where: { $0.index.number == entry.index.number })?.keys
            else { continue }
            if isPublic.old == isPublic.new, new == entry.keys { continue }
            if isPublic.old == isPublic.new, entry.areThere {
                let (old, fresh) = (Set(entry.keys.entries), Set(new.entries))
                for key in old.subtracting(fresh) { try delete(entry.index, key, row) }
                for key in fresh.subtracting(old) {
                    try insert(entry.index, key, row, isPublic.new)
                }
            } else {
                for key in entry.keys.entries { try delete(entry.index, key, row) }
                for key in new.entries { try insert(entry.index, key, row, isPublic.new) }
                leaveOut(row, entry)
            }
        }
    }

    /// Writes a key of an index that is being built, which may be there from before a restart.
    func put(
        _ entry: KeyEntry,
        of index: FieldIndex,
        row: Int64,
        isPublic: Bool
    ) throws(SQLiteFailure) {
        bind(index, entry, row, to: indexStatements.putKey)
        indexStatements.putKey.bind(5, isPublic ? 1 : 0)
        try indexStatements.putKey.run()
    }

    /// Keeps the builder from writing keys that it read before the object changed.
    private func leaveOut(_ row: Int64, _ entry: IndexedKeys) {
        guard !entry.areThere, buildRun?.number == entry.index.number else { return }
        buildRun?.leaveOut(row: row)
    }

    func reader(of index: FieldIndex) -> FieldKeyReader {
        if let known = keyReaders[index.number] { return known }
        let made = FieldKeyReader(index.path)
        keyReaders[index.number] = made
        return made
    }

    private func insert(
        _ index: FieldIndex,
        _ entry: KeyEntry,
        _ row: Int64,
        _ isPublic: Bool
    ) throws(SQLiteFailure) {
        let insert = indexStatements.insertKey
        bind(index, entry, row, to: insert)
        insert.bind(5, isPublic ? 1 : 0)
        try insert.run()
    }

    private func delete(
        _ index: FieldIndex,
        _ entry: KeyEntry,
        _ row: Int64
    ) throws(SQLiteFailure) {
        bind(index, entry, row, to: indexStatements.deleteKey)
        try indexStatements.deleteKey.run()
    }

    /// Binds what a row of `field_key` is known by, as the first four parameters.
    private func bind(
        _ index: FieldIndex,
        _ entry: KeyEntry,
        _ row: Int64,
        to statement: SQLiteStatement
    ) {
        statement.bind(1, index.number)
        statement.bind(2, entry.kind.rawValue)
        statement.bind(3, blob: entry.key)
        statement.bind(4, row)
    }
}
