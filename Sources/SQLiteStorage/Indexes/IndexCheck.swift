import HatoWire
import ObjectModel
import SQLStorage

/// Compares the indexes of a file with its documents.
///
/// Every key that an object should have must be there, and no more keys than that. Runs in one
/// transaction on a read connection; memory stays flat.
struct IndexCheck {
    private struct Subject {
        let number: Int64
        let rows: ClassRows
        let path: FieldPath
        let built: Int64

        func complaint(_ what: String) -> Text {
            Text("index \(number) on \(path.text.string): \(what)")
        }
    }

    private let connection: SQLiteConnection
    private let findKey: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        findKey = try connection.prepare(
            """
            SELECT public_read FROM field_key
            WHERE field = ?1 AND kind = ?2 AND key = ?3 AND row = ?4
            """
        )
    }

    /// Returns a sentence for each index that is wrong.
    func complaints() throws -> [Text] {
        try connection.execute("BEGIN")
        defer { try? connection.execute("COMMIT") }
        var complaints: [Text] = []
        for subject in try subjects() {
            if let complaint = try complaint(about: subject) { complaints.append(complaint) }
        }
        let stray = try connection.prepare(
            """
            SELECT count(*) FROM field_key WHERE field NOT IN (SELECT number FROM field_index)
            """
        )
        let strayCount = try stray.first { $0.integer(0) } ?? 0
        if strayCount > 0 { complaints.append(Text("\(strayCount) keys belong to no index")) }
        return complaints
    }

    private func subjects() throws -> [Subject] {
        let indexes = try connection.prepare(
            "SELECT number, class, field, built FROM field_index WHERE state = 0 ORDER BY number"
        )
        var subjects: [Subject] = []
        while try indexes.step() {
            subjects.append(
                Subject(
                    number: indexes.integer(0),
                    rows: ClassRows(classNumber: indexes.integer(1)),
                    path: try FieldPath(indexes.text(2)),
                    built: indexes.integer(3)
                )
            )
        }
        return subjects
    }

    private func complaint(about subject: Subject) throws -> Text? {
        let reader = FieldKeyReader(subject.path)
        let objects = try connection.prepare(
            """
            SELECT row, created, updated, public_read, doc FROM object
            WHERE row BETWEEN ?1 AND ?2 ORDER BY row
            """
        )
        objects.bind(1, subject.rows.first)
        objects.bind(2, min(subject.rows.last, subject.built))
        var expectedCount: Int64 = 0
        while try objects.step() {
            let facts = ObjectFacts(
                id: "",
                created: objects.timestamp(1),
                updated: objects.timestamp(2)
            )
            let keys = objects.withBytes(4) { reader.keys($0.span, facts) }
            let row = objects.integer(0)
            for entry in keys.entries {
                expectedCount += 1
                let isPublic = try publicRead(of: subject, entry.kind, entry.key, row)
                guard isPublic == objects.integer(3) else {
                    objects.reset()
                    return subject.complaint("row \(row) has not the key that it should")
                }
            }
        }
        objects.reset()
        let count = try connection.prepare("SELECT count(*) FROM field_key WHERE field = ?1")
        count.bind(1, subject.number)
        let actualCount = try count.first { $0.integer(0) } ?? 0
        guard actualCount != expectedCount else { return nil }
        return subject.complaint("\(actualCount) keys instead of \(expectedCount)")
    }

    private func publicRead(
        of subject: Subject,
        _ kind: FieldIndex.Kind,
        _ key: [UInt8],
        _ row: Int64
    ) throws -> Int64? {
        findKey.bind(1, subject.number)
        findKey.bind(2, kind.rawValue)
        findKey.bind(3, blob: key)
        findKey.bind(4, row)
        return try findKey.first { $0.integer(0) }
    }
}
