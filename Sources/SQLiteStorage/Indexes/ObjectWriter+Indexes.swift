import HatoWire
import ObjectModel
import SQLStorage

/// Making indexes and giving them up.
extension ObjectWriter {
    private static let abandonedState: Int64 = 1

    /// Declares indexes and takes declarations back; the builder does the rest.
    ///
    /// One that could not be built is tried again when it is declared again.
    /// Errors: `notEnabled` with the field when it needs none, `prohibited` with the field when no list may
    /// name it, `notFound` with the field when it has none to remove, `invalidValue` without a subject
    /// when there would be too many.
    func setIndexes(
        _ className: ClassName,
        added: [FieldPath],
        removed: [FieldPath]
    ) throws -> Outcome {
        for path in added {
            guard path.isIndexable else { throw DomainError(.notEnabled, path.text) }
            guard !HiddenFields.contains(path, of: className) else {
                throw DomainError(.prohibited, path.text)
            }
        }
        let known = state.directory[className]?.indexes ?? []
        let failed = (state.directory[className]?.failedIndexes ?? []).map(\.path)
        for path in removed
        where !known.contains(where: { $0.path == path }) && !failed.contains(path) {
            throw DomainError(.notFound, path.text)
        }
        let declared = Set(known.filter(\.isDeclared).map(\.path) + failed)
            .subtracting(removed).union(added)
        guard declared.count <= limits.declaredIndexes else { throw DomainError(.invalidValue) }
        let record = try existingOrNewClass(className)
        for index in record.indexes where removed.contains(index.path) {
            try abandon(index, ofRow: record.rows.first)
        }
        try forgetFailures(of: className, on: removed + added)
        for path in added { try addIndex(path, to: className, isDeclared: true) }
        return .done
    }

    /// Adds an index that the server makes by itself; without effect when the class has it, has
    /// enough, or is gone.
    func makeIndex(_ className: ClassName, _ path: FieldPath) throws -> Outcome {
        guard let record = state.directory[className], path.isIndexable,
            !HiddenFields.contains(path, of: className),
            record.indexes.count(where: { !$0.isDeclared }) < limits.ownIndexes,
            !record.failedIndexes.contains(where: { $0.path == path }),
            try isInUse(path, in: record)
        else { return .done }
        try addIndex(path, to: className, isDeclared: false)
        return .done
    }

    /// Objects among which a field must be found: anybody can ask for fields that there are not.
    private static let sampleCount: Int64 = 200

    /// Whether some of the newest objects have the field.
    private func isInUse(_ path: FieldPath, in record: ClassRecord) throws -> Bool {
        let reader = FieldKeyReader(path)
        let newest = indexStatements.newestObjects
        newest.bind(1, record.rows.first)
        newest.bind(2, record.rows.last)
        newest.bind(3, ObjectWriter.sampleCount)
        defer { newest.reset() }
        while try newest.step() {
            let object = newest.storedObject()
            let facts = ObjectFacts(
                id: object.id,
                created: object.created,
                updated: object.updated
            )
            let keys = reader.keys(object.document.span, facts)
            if keys.whole != OrderedKey.null.bytes { return true }
        }
        return false
    }

    private func addIndex(_ path: FieldPath, to className: ClassName, isDeclared: Bool) throws {
        guard var record = state.directory[className] else { return }
        if let place = record.indexes.firstIndex(where: { $0.path == path }) {
            guard isDeclared, !record.indexes[place].isDeclared else { return }
            record.indexes[place].isDeclared = true
            try write(record.indexes[place])
        } else {
            // Without objects there is nothing to build.
            let isEmpty = try objects(after: record.rows.first - 1, in: record, limit: 1) == 0
            let insert = indexStatements.insertIndex
            let built = isEmpty ? FieldIndex.everything : record.rows.first - 1
            insert.bind(1, record.rows.classNumber)
            insert.bind(2, path.text)
            insert.bind(3, isDeclared ? 1 : 0)
            insert.bind(4, built)
            let made = environment.now()
            insert.bind(5, made)
            guard let number = try insert.first({ $0.integer(0) }) else { return }
            keyReaders[number] = nil
            record.indexes.append(
                FieldIndex(
                    number: number,
                    path: path,
                    isDeclared: isDeclared,
                    built: built,
                    made: made
                )
            )
        }
        state.directory.set(record, for: className)
    }

    /// Takes an index out of use; its keys are removed in steps.
    func abandon(_ index: FieldIndex, ofRow row: Int64) throws {
        guard let className = state.directory.name(ofRow: row),
            var record = state.directory[className]
        else { return }
        record.indexes.removeAll { $0.number == index.number }
        state.directory.set(record, for: className)
        try write(index, state: ObjectWriter.abandonedState)
        keyReaders[index.number] = nil
        if buildRun?.number == index.number { buildRun = nil }
        hasAbandonedKeys = true
    }

    /// Takes an index out of use that could not be built; that a declared one failed is kept.
    func giveUp(
        _ index: FieldIndex,
        of className: ClassName,
        because failure: IndexFailure
    ) throws {
        guard let rows = state.directory[className]?.rows else { return }
        try abandon(index, ofRow: rows.first)
        guard index.isDeclared, var record = state.directory[className] else { return }
        let insert = indexStatements.insertFailure
        insert.bind(1, rows.classNumber)
        insert.bind(2, index.path.text)
        insert.bind(3, Text(failure.reason.rawValue))
        insert.bind(4, failure.objectID)
        guard let number = try insert.first({ $0.integer(0) }) else { return }
        record.failedIndexes.append(
            FailedIndex(number: number, path: index.path, failure: failure)
        )
        state.directory.set(record, for: className)
    }

    private func forgetFailures(of className: ClassName, on paths: [FieldPath]) throws {
        guard var record = state.directory[className], !record.failedIndexes.isEmpty else { return }
        for failed in record.failedIndexes where paths.contains(failed.path) {
            indexStatements.deleteIndex.bind(1, failed.number)
            try indexStatements.deleteIndex.run()
        }
        record.failedIndexes.removeAll { paths.contains($0.path) }
        state.directory.set(record, for: className)
    }

    func write(_ index: FieldIndex, state: Int64 = 0) throws {
        let update = indexStatements.updateIndex
        update.bind(1, index.number)
        update.bind(2, index.isDeclared ? 1 : 0)
        update.bind(3, state)
        update.bind(4, index.built)
        try update.run()
    }
}

extension FieldPath {
    /// Whether an index can help: ids have one, and objects lie in the order of `createDate`.
    package var isIndexable: Bool {
        components.count > 1 || components[0] != "objectId" && components[0] != "createDate"
    }
}
