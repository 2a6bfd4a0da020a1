import HatoWire
import ObjectModel
import SQLStorage

/// Compares the indexes of a file with its documents.
///
/// Every key that an object should have must be there, and no other; of an index that is being built,
/// those of the objects behind the built ones may be there. Works in slices, each inside one
/// read transaction of the caller's: a slice is consistent in itself, and an index that was given up, or
/// built further, between two slices is looked at as it is then.
struct IndexCheck {
    /// An index that is looked at, by its number; the field tells it from one that took its number over.
    struct Subject: Sendable {
        let number: Int64
        let rows: ClassRows
        let path: FieldPath

        fileprivate func complaint(_ what: String) -> Text {
            Text("index \(number) on \(path.text.string): \(what)")
        }
    }

    /// A row of `field_key` of one index, as a place in the order of its key.
    struct Key: Sendable {
        var kind: Int64
        var key: [UInt8]
        var row: Int64

        static let first = Key(kind: -1, key: [], row: .min)
    }

    private let subjectRows: SQLiteStatement
    private let built: SQLiteStatement
    private let objects: SQLiteStatement
    private let findKey: SQLiteStatement
    private let keys: SQLiteStatement
    private let findObject: SQLiteStatement
    private let nextNumber: SQLiteStatement
    private let findNumber: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        subjectRows = try connection.prepare(
            "SELECT number, class, field FROM field_index WHERE state = 0 ORDER BY number"
        )
        built = try connection.prepare(
            """
            SELECT built FROM field_index
            WHERE number = ?1 AND class = ?2 AND field = ?3 AND state = 0
            """
        )
        objects = try connection.prepare(
            """
            SELECT row, created, updated, public_read, doc FROM object
            WHERE row > ?1 AND row <= ?2 ORDER BY row LIMIT ?3
            """
        )
        findKey = try connection.prepare(
            """
            SELECT public_read FROM field_key
            WHERE field = ?1 AND kind = ?2 AND key = ?3 AND row = ?4
            """
        )
        keys = try connection.prepare(
            """
            SELECT kind, key, row FROM field_key
            WHERE field = ?1 AND (kind, key, row) > (?2, ?3, ?4)
            ORDER BY kind, key, row LIMIT ?5
            """
        )
        findObject = try connection.prepare(
            "SELECT row, created, updated, public_read, doc FROM object WHERE row = ?1"
        )
        nextNumber = try connection.prepare(
            "SELECT field FROM field_key WHERE field > ?1 ORDER BY field LIMIT 1"
        )
        findNumber = try connection.prepare("SELECT 1 FROM field_index WHERE number = ?1")
    }

    /// The indexes that are in use or being built.
    func subjects() throws -> [Subject] {
        var subjects: [Subject] = []
        defer { subjectRows.reset() }
        while try subjectRows.step() {
            subjects.append(
                Subject(
                    number: subjectRows.integer(0),
                    rows: ClassRows(classNumber: subjectRows.integer(1)),
                    path: try FieldPath(subjectRows.text(2))
                )
            )
        }
        return subjects
    }

    /// Looks from the objects behind `row`: each has all of its keys.
    func objects(
        of subject: Subject,
        after row: Int64,
        limit: Int
    ) throws(SQLiteFailure) -> CheckPart<Int64> {
        var part = CheckPart<Int64>()
        guard let built = try built(of: subject) else { return part }
        let reader = FieldKeyReader(subject.path)
        objects.bind(1, row)
        objects.bind(2, min(subject.rows.last, built))
        objects.bind(3, Int64(limit))
        defer { objects.reset() }
        while try objects.step() {
            part.count += 1
            let row = objects.integer(0)
            part.last = row
            for entry in reader.entries(of: objects) {
                bind(subject, Key(kind: entry.kind.rawValue, key: entry.key, row: row), to: findKey)
                let isPublic = try findKey.first { $0.integer(0) }
                guard isPublic != objects.integer(3) else { continue }
                part.complaints.append(
                    subject.complaint("row \(row) has not the key that it should")
                )
                break
            }
        }
        if part.count < limit { part.last = nil }
        return part
    }

    /// Looks from the keys behind `place`: each is of an object that should have it.
    func keys(
        of subject: Subject,
        after place: Key,
        limit: Int
    ) throws(SQLiteFailure) -> CheckPart<Key> {
        var part = CheckPart<Key>()
        guard try built(of: subject) != nil else { return part }
        var expected = ExpectedKeys(subject, findObject)
        bind(subject, place, to: keys)
        keys.bind(5, Int64(limit))
        defer { keys.reset() }
        while try keys.step() {
            part.count += 1
            let key = Key(kind: keys.integer(0), key: keys.bytes(1), row: keys.integer(2))
            part.last = key
            guard try !expected.contains(key) else { continue }
            part.complaints.append(subject.complaint("row \(key.row) has a key that it should not"))
        }
        if part.count < limit { part.last = nil }
        return part
    }

    /// A sentence about keys of numbers that no index has.
    func strayKeys() throws(SQLiteFailure) -> [Text] {
        var complaints: [Text] = []
        var number: Int64 = .min
        while true {
            nextNumber.bind(1, number)
            guard let next = try nextNumber.first({ $0.integer(0) }) else { return complaints }
            number = next
            if try !isKnown(number) {
                complaints.append(Text("there are keys of index \(number), which is not there"))
            }
        }
    }
}

extension IndexCheck {
    private func built(of subject: Subject) throws(SQLiteFailure) -> Int64? {
        built.bind(1, subject.number)
        built.bind(2, subject.rows.classNumber)
        built.bind(3, subject.path.text)
        return try built.first { $0.integer(0) }
    }

    private func isKnown(_ number: Int64) throws(SQLiteFailure) -> Bool {
        findNumber.bind(1, number)
        return try findNumber.first { _ in true } ?? false
    }

    private func bind(_ subject: Subject, _ key: Key, to statement: SQLiteStatement) {
        statement.bind(1, subject.number)
        statement.bind(2, key.kind)
        statement.bind(3, blob: key.key)
        statement.bind(4, key.row)
    }

    /// The keys that objects should have, read from their documents.
    private struct ExpectedKeys {
        /// Keys that are kept for the next ones of the same object: an array's lie far apart, and to
        /// read a long one again for each would take its length squared.
        private static let keptLimit = 100_000

        private let rows: ClassRows
        private let reader: FieldKeyReader
        private let findObject: SQLiteStatement
        private var kept: [Int64: Set<KeyEntry>] = [:]
        private var keptCount = 0

        init(_ subject: Subject, _ findObject: SQLiteStatement) {
            rows = subject.rows
            reader = FieldKeyReader(subject.path)
            self.findObject = findObject
        }

        mutating func contains(_ key: Key) throws(SQLiteFailure) -> Bool {
            guard rows.first <= key.row, key.row <= rows.last,
                let kind = FieldIndex.Kind(rawValue: key.kind)
            else {
                return false
            }
            let entry = KeyEntry(kind: kind, key: key.key)
            if let known = kept[key.row] { return known.contains(entry) }
            findObject.bind(1, key.row)
            let entries = try findObject.first { reader.entries(of: $0) } ?? []
            guard entries.count > 1 else { return entries.contains(entry) }
            if keptCount >= ExpectedKeys.keptLimit {
                kept.removeAll(keepingCapacity: true)
                keptCount = 0
            }
            keptCount += entries.count
            let all = Set(entries)
            kept[key.row] = all
            return all.contains(entry)
        }
    }
}

extension FieldKeyReader {
    /// The keys of the object in the statement's row: row, created, updated, public_read, doc.
    fileprivate func entries(of object: SQLiteStatement) -> [KeyEntry] {
        let facts = ObjectFacts(
            id: "",
            created: object.timestamp(1),
            updated: object.timestamp(2)
        )
        return object.withBytes(4) { keys($0.span, facts) }.entries
    }
}
