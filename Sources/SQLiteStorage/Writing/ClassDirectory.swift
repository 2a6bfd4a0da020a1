import HatoWire
import ObjectModel
import SQLStorage

/// What the store knows of a class.
struct ClassRecord: Sendable, Hashable {
    let rows: ClassRows
    var settings: ClassSettings
}

/// The classes of an application: a value, so that readers keep a snapshot.
struct ClassDirectory: Sendable {
    /// Classes come into being by their first object, so their number is a limit of its own.
    static let classLimit = 10_000

    private var records: [ClassName: ClassRecord] = [:]
    private var highestNumber: Int64 = 0

    subscript(name: ClassName) -> ClassRecord? { records[name] }

    var count: Int { records.count }

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

extension ClassName {
    /// Names a class whose name the store once took.
    init(stored name: Text) throws(DomainError) {
        switch name {
        case "user": self = .user
        case "role": self = .role
        case "installation": self = .installation
        case "file": self = .file
        case "push": self = .push
        default: try self.init(dataStore: name)
        }
    }
}
