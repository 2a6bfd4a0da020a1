import HatoWire
import ObjectModel
import SQLStorage

/// Building indexes over what a class already has, a little at a time.
///
/// Under load a transaction of writes takes some objects along, for a part of the time that its own
/// work takes; a quiet writer does steps of their own.
extension ObjectWriter {
    /// Objects that are read between two looks at the clock.
    private static let slice = 24
    /// And keys of so many bytes: an object may have a thousand.
    private static let sliceBytes = 65_536
    /// Keys that are written between two looks at the clock.
    private static let keySlice = 64
    /// So many keys at the end of a class are written at once, however quickly new objects come.
    static let lastKeys = 1_024
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
        while let (className, index) = nextUnbuiltIndex {
            guard try buildSlice(of: index, className) else { return true }
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
            buildRun = nil
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

    /// The index whose run is begun, before any other.
    private var nextUnbuiltIndex: (ClassName, FieldIndex)? {
        if let number = buildRun?.number, let begun = state.directory.unbuiltIndex(number) {
            return begun
        }
        return state.directory.unbuiltIndex
    }

    /// Does the next piece of an index, or gives the index up; false when it must not go on now.
    private func buildSlice(of index: FieldIndex, _ className: ClassName) throws -> Bool {
        var run = buildRun ?? BuildRun(number: index.number, after: index.built)
        if run.number != index.number { run = BuildRun(number: index.number, after: index.built) }
        // Mutations of this transaction have told the run what they changed; from here on nothing does
        // until it is put back.
        buildRun = nil
        guard environment.mayBuild(after: run.isSorted ? index.built : run.lastRow) else {
            buildRun = run
            return false
        }
        var row: Int64 = 0
        var unfitRow: Int64?
        var isDone = false
        let refusal = try attempt {
            if !run.isSorted { unfitRow = try collect(&run, index, of: className) }
            guard run.isSorted, unfitRow == nil else { return }
            repeat {
                isDone = try writeKeys(of: &run, index, row: &row)
            } while !isDone && run.isLast && run.keyCount <= ObjectWriter.lastKeys
            if isDone { try extend(index, of: className, upTo: run) }
        }
        if refusal == nil, unfitRow == nil {
            if !isDone { buildRun = run }
            return true
        }
        let find = statements.objectByRow
        find.bind(1, unfitRow ?? row)
        let objectID = try find.first { $0.text(1) } ?? ""
        let reason = unfitRow == nil ? IndexFailure.Reason.refusedKey : .longArray
        let failure = IndexFailure(reason: reason, objectID: objectID)
        try giveUp(index, of: className, because: failure)
        return true
    }

    /// Reads the keys of the next objects; returns the row of one that does not fit in.
    private func collect(
        _ run: inout BuildRun,
        _ index: FieldIndex,
        of className: ClassName
    ) throws -> Int64? {
        guard let record = state.directory[className] else { return nil }
        let reader = reader(of: index)
        let next = indexStatements.objectsAfter
        next.bind(1, run.lastRow)
        next.bind(2, record.rows.last)
        next.bind(3, Int64(ObjectWriter.slice))
        defer { next.reset() }
        var count = 0
        let enough = min(run.byteCount + ObjectWriter.sliceBytes, limits.buildRunBytes)
        while count == 0 || run.byteCount < enough, try next.step() {
            let facts = ObjectFacts(
                id: "",
                created: next.timestamp(2),
                updated: next.timestamp(3)
            )
            let keys = next.withBytes(5) { reader.keys($0.span, facts) }
            guard !keys.isOverfull else { return next.integer(0) }
            run.add(keys, row: next.integer(0), isPublic: next.integer(6) == 1)
            count += 1
        }
        let isLast = count < ObjectWriter.slice && run.byteCount < enough
        if isLast || run.byteCount >= limits.buildRunBytes { run.sort(isLast: isLast) }
        return nil
    }

    /// Writes the next keys, with `row` the object whose key is being written; true after the last one.
    private func writeKeys(
        of run: inout BuildRun,
        _ index: FieldIndex,
        row: inout Int64
    ) throws -> Bool {
        for _ in 0..<ObjectWriter.keySlice {
            guard let key = run.takeNext() else { return true }
            row = key.row
            try put(key.entry, of: index, row: key.row, isPublic: key.isPublic)
        }
        return false
    }

    /// Notes that the run's objects are in the index.
    private func extend(
        _ index: FieldIndex,
        of className: ClassName,
        upTo run: BuildRun
    ) throws {
        guard var record = state.directory[className],
            let place = record.indexes.firstIndex(where: { $0.number == index.number })
        else { return }
        let hasMore = try objects(after: run.lastRow, in: record, limit: 1) > 0
        record.indexes[place].built = hasMore ? run.lastRow : FieldIndex.everything
        try write(record.indexes[place])
        state.directory.set(record, for: className)
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
