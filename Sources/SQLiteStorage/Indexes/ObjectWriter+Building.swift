import HatoWire
import ObjectModel
import SQLStorage

/// Building indexes over what a class already has, a little at a time.
///
/// Under load a transaction of writes takes some objects along, for a part of the time that its own
/// work takes; a quiet writer does steps of their own.
extension ObjectWriter {
    /// Objects that are indexed between two looks at the clock.
    private static let slice = 24
    /// Keys of an abandoned index that go at once.
    private static let abandonedSlice: Int64 = 64

    /// Whether some index is not whole, or keys of one that is given up are left.
    var hasIndexWork: Bool { hasAbandonedKeys || state.directory.hasUnbuiltIndexes }

    /// Goes on with the building for about `span`, inside a transaction.
    ///
    /// Returns whether nothing is left to do.
    @discardableResult
    func build(for span: Duration) throws -> Bool {
        guard hasIndexWork else { return true }
        let end = ContinuousClock.now + span
        while let (className, index) = state.directory.unbuiltIndex {
            guard environment.mayBuild(after: index.built) else { return true }
            try buildSlice(of: index, className)
            if ContinuousClock.now >= end { return !hasIndexWork }
        }
        while hasAbandonedKeys {
            // What can't be removed is left to the next start: nobody reads it.
            let refusal = try attempt { hasAbandonedKeys = try removeAbandonedKeys() }
            if refusal != nil { hasAbandonedKeys = false }
            if ContinuousClock.now >= end { return !hasIndexWork }
        }
        return true
    }

    /// Goes on with the building in a transaction of its own.
    ///
    /// Returns whether nothing is left to do.
    func buildStep(for span: Duration) throws -> Bool {
        guard hasIndexWork else { return true }
        return try inTransaction { try build(for: span) }
    }

    /// Runs `body` in a transaction of its own, whose end `state` follows.
    func inTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        let before = state
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try connection.execute("COMMIT")
            return result
        } catch {
            state = before
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Counts the objects behind `row`, up to `limit`.
    func objects(after row: Int64, in record: ClassRecord, limit: Int64) throws -> Int {
        let next = indexStatements.objectsAfter
        next.bind(1, row)
        next.bind(2, record.rows.last)
        next.bind(3, limit)
        defer { next.reset() }
        var count = 0
        while try next.step() { count += 1 }
        return count
    }

    /// Runs `body` so that what the database refuses takes back its writes and no others; returns the
    /// refusal.
    ///
    /// Errors: trouble of the disk, which is that of the whole transaction.
    private func attempt(_ body: () throws -> Void) throws -> SQLiteFailure? {
        try indexStatements.beginAttempt.run()
        do {
            try body()
            try indexStatements.endAttempt.run()
            return nil
        } catch let refusal as SQLiteFailure {
            guard connection.isInTransaction, !refusal.isStorageTrouble else { throw refusal }
            try indexStatements.takeAttemptBack.run()
            try indexStatements.endAttempt.run()
            return refusal
        }
    }

    /// Indexes the next slice of the class's objects, or gives the index up.
    private func buildSlice(of index: FieldIndex, _ className: ClassName) throws {
        var row: Int64 = 0
        var unfitRow: Int64?
        let refusal = try attempt {
            unfitRow = try build(index, of: className, row: &row)
        }
        guard refusal != nil || unfitRow != nil else { return }
        let find = statements.objectByRow
        find.bind(1, unfitRow ?? row)
        let objectID = try find.first { $0.text(1) } ?? ""
        let reason = unfitRow == nil ? IndexFailure.Reason.refusedKey : .longArray
        let failure = IndexFailure(reason: reason, objectID: objectID)
        try giveUp(index, of: className, because: failure)
    }

    /// Indexes a slice, with `row` the object whose keys are being written.
    ///
    /// Returns the row of an object that does not fit in; nothing is written then.
    private func build(
        _ index: FieldIndex,
        of className: ClassName,
        row: inout Int64
    ) throws -> Int64? {
        guard var record = state.directory[className],
            let place = record.indexes.firstIndex(where: { $0.number == index.number })
        else { return nil }
        let reader = reader(of: index)
        var objects: [(row: Int64, keys: FieldKeys, isPublic: Bool)] = []
        let next = indexStatements.objectsAfter
        next.bind(1, index.built)
        next.bind(2, record.rows.last)
        next.bind(3, Int64(ObjectWriter.slice))
        defer { next.reset() }
        while try next.step() {
            let facts = ObjectFacts(
                id: "",
                created: next.timestamp(2),
                updated: next.timestamp(3)
            )
            let keys = next.withBytes(5) { reader.keys($0.span, facts) }
            guard !keys.isOverfull else { return next.integer(0) }
            objects.append((next.integer(0), keys, next.integer(6) == 1))
        }
        for object in objects {
            row = object.row
            try insert(
                [IndexedKeys(index: index, keys: object.keys)],
                row: object.row,
                isPublic: object.isPublic
            )
        }
        let isWhole = objects.count < ObjectWriter.slice
        record.indexes[place].built =
            isWhole ? FieldIndex.everything : objects.last?.row ?? index.built
        try write(record.indexes[place])
        state.directory.set(record, for: className)
        return nil
    }

    /// Removes some keys of an index that is given up; false when there are none left of any.
    private func removeAbandonedKeys() throws -> Bool {
        guard let number = try indexStatements.abandoned.first({ $0.integer(0) }) else {
            return false
        }
        let remove = indexStatements.deleteSomeKeys
        remove.bind(1, number)
        remove.bind(2, ObjectWriter.abandonedSlice)
        try remove.run()
        if connection.changedRows == 0 {
            indexStatements.deleteIndex.bind(1, number)
            try indexStatements.deleteIndex.run()
        }
        return true
    }
}
