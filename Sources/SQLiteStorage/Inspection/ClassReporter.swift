import HatoWire
import ObjectModel
import SQLStorage

/// Counts what is in a class, on a read connection.
struct ClassReporter {
    /// What a key costs beside its own bytes: the row's header, its numbers, its place in the page.
    private static let keyOverheadBytes = 16

    private let limits: StoreLimits
    private let count: SQLiteStatement
    private let newest: SQLiteStatement
    private let keys: SQLiteStatement

    init(_ connection: SQLiteConnection, _ limits: StoreLimits) throws(SQLiteFailure) {
        self.limits = limits
        // By the class, not by rows: the index of the ids is far smaller than the documents.
        count = try connection.prepare("SELECT count(*) FROM object WHERE class = ?1")
        newest = try connection.prepare(
            "SELECT doc FROM object WHERE row BETWEEN ?1 AND ?2 ORDER BY row DESC LIMIT ?3"
        )
        keys = try connection.prepare(
            """
            SELECT count(*), ifnull(sum(length(key)), 0), ifnull(sum(kind = 0), 0)
            FROM field_key WHERE field = ?1
            """
        )
    }

    /// Counts the class's objects.
    func objectCount(_ record: ClassRecord) throws(SQLiteFailure) -> Int {
        count.bind(1, record.rows.classNumber)
        return Int(try count.first { $0.integer(0) } ?? 0)
    }

    /// Reports all but the slow filters; looks at documents while `hasTime`.
    func report(
        _ record: ClassRecord,
        while hasTime: () -> Bool
    ) throws(SQLiteFailure) -> ClassReport {
        let objectCount = try objectCount(record)
        let indexes = try indexes(record, objectCount)
        var tally = FieldTally(limit: limits.reportFields)
        newest.bind(1, record.rows.first)
        newest.bind(2, record.rows.last)
        newest.bind(3, Int64(limits.reportRows))
        defer { newest.reset() }
        while hasTime(), try newest.step() {
            newest.withBytes(0) { tally.add($0.span) }
        }
        let isSampled = tally.documentCount < objectCount
        return ClassReport(
            objectCount: objectCount,
            settings: record.settings,
            documentBytes: isSampled ? estimate(tally, of: objectCount) : tally.byteCount,
            fields: tally.fields,
            isSampled: isSampled,
            indexes: indexes
        )
    }

    /// The length of all documents, as if the others were like those that were looked at.
    private func estimate(_ tally: FieldTally, of objectCount: Int) -> Int {
        guard tally.documentCount > 0 else { return 0 }
        let mean = Double(tally.byteCount) / Double(tally.documentCount)
        return Int((mean * Double(objectCount)).rounded())
    }

    private func indexes(
        _ record: ClassRecord,
        _ objectCount: Int
    ) throws(SQLiteFailure) -> [ClassReport.Index] {
        var indexes: [ClassReport.Index] = []
        for index in record.indexes {
            keys.bind(1, index.number)
            let sums = try keys.first { ($0.integer(0), $0.integer(1), $0.integer(2)) } ?? (0, 0, 0)
            let keyCount = Int(sums.0)
            // One key of each object is its whole one.
            let done = min(Int(sums.2), objectCount)
            indexes.append(
                ClassReport.Index(
                    path: index.path.text,
                    isDeclared: index.isDeclared,
                    state: index.isReady ? .ready : .building(done: done, total: objectCount),
                    keyCount: keyCount,
                    byteCount: Int(sums.1) + keyCount * ClassReporter.keyOverheadBytes,
                    lastUsed: index.lastUsed
                )
            )
        }
        indexes += record.failedIndexes.map { index in
            ClassReport.Index(
                path: index.path.text,
                isDeclared: true,
                state: .failed(index.failure)
            )
        }
        return indexes.sorted { $0.path < $1.path }
    }
}
