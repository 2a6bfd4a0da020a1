import HatoWire
import ObjectModel
import SQLStorage

/// What the store knows of a class.
struct ClassRecord: Sendable, Hashable {
    let rows: ClassRows
    var settings: ClassSettings
    /// Those that are in use or being built.
    var indexes: [FieldIndex] = []
    /// Those that were declared and could not be built.
    var failedIndexes: [FailedIndex] = []
}

/// A declared index that was given up while it was built: out of use, and kept for the operator to see.
struct FailedIndex: Sendable, Hashable {
    let number: Int64
    let path: FieldPath
    let failure: IndexFailure
}

extension ClassRecord {
    fileprivate var isUnbuilt: Bool { indexes.contains { !$0.isReady } }
}

/// The classes of an application: a value, so that readers keep a snapshot.
struct ClassDirectory: Sendable {
    /// Classes come into being by their first object, so their number is a limit of its own.
    static let classLimit = 10_000

    private var records: [ClassName: ClassRecord] = [:]
    private var highestNumber: Int64 = 0

    subscript(name: ClassName) -> ClassRecord? { records[name] }

    var count: Int { records.count }

    /// How many classes have an index that is not whole; kept so that a write need not look.
    private var unbuiltCount = 0
    var hasUnbuiltIndexes: Bool { unbuiltCount > 0 }

    /// An index that is to be built next.
    var unbuiltIndex: (ClassName, FieldIndex)? {
        guard hasUnbuiltIndexes else { return nil }
        for (name, record) in records {
            if let index = record.indexes.first(where: { !$0.isReady }) { return (name, index) }
        }
        return nil
    }

    /// The index with that number, if it is not whole yet.
    func unbuiltIndex(_ number: Int64) -> (ClassName, FieldIndex)? {
        guard hasUnbuiltIndexes else { return nil }
        for (name, record) in records {
            if let index = record.indexes.first(where: { $0.number == number && !$0.isReady }) {
                return (name, index)
            }
        }
        return nil
    }

    /// Makes a class.
    ///
    /// Errors: `invalidValue` when there are as many as may be.
    mutating func add(
        _ name: ClassName,
        _ settings: ClassSettings
    ) throws(DomainError)
        -> ClassRecord
    {
        guard records.count < ClassDirectory.classLimit else {
            throw DomainError(.invalidValue, "className")
        }
        highestNumber += 1
        let rows = ClassRows(classNumber: highestNumber)
        let record = ClassRecord(rows: rows, settings: settings)
        records[name] = record
        return record
    }

    mutating func set(_ record: ClassRecord, for name: ClassName) {
        highestNumber = max(highestNumber, record.rows.classNumber)
        if records[name]?.isUnbuilt == true { unbuiltCount -= 1 }
        if record.isUnbuilt { unbuiltCount += 1 }
        records[name] = record
    }

    /// Returns the name of the class that a row belongs to; linear, for the change log alone.
    func name(ofRow row: Int64) -> ClassName? {
        let number = ClassRows.classNumber(ofRow: row)
        return records.first { $0.value.rows.classNumber == number }?.key
    }

    /// Calls `body` for every class, in no order.
    func forEach(_ body: (ClassName, ClassRecord) throws -> Void) rethrows {
        for (name, record) in records { try body(name, record) }
    }
}
