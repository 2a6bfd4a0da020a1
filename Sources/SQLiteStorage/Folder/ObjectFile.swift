import HatoWire
import Migrations
import ObjectModel
import SQLStorage

/// Opens one application's `objects.db` for its writer.
enum ObjectFile {
    /// Returns a writer that goes on where the file ends.
    ///
    /// Only `creating` makes a file that is missing or empty: an application's file is made before
    /// the application is known, so a missing one is lost data, which an empty one would hide.
    ///
    /// Errors: `unavailable` with the reason as cause.
    static func open(
        _ path: String,
        creating: Bool = false,
        environment: StoreEnvironment,
        limits: StoreLimits
    )
        throws(DomainError) -> ObjectWriter
    {
        guard creating || FileSystem.hasContent(path) else {
            throw DomainError(
                .unavailable,
                cause: "\(path): the application's objects are missing; restore this file "
                    + "from a backup of the data folder"
            )
        }
        let now = environment.now()
        let connection = try DatabaseFile.open(path, Migration.objects, now: now)
        do {
            try renewEpoch(connection, path, environment)
            return try ObjectWriter(
                connection,
                state: try state(of: connection),
                environment: environment,
                limits: limits
            )
        } catch {
            throw DomainError(.unavailable, cause: "\(path): \(error)")
        }
    }

    /// Draws a new epoch when the file is not the one that the epoch was drawn for.
    ///
    /// A restored backup has another inode: clients that remember a place in the change log notice.
    private static func renewEpoch(
        _ connection: SQLiteConnection,
        _ path: String,
        _ environment: StoreEnvironment
    ) throws {
        let identity = Text(try FileSystem.identity(path))
        let recorded = try connection.prepare("SELECT value FROM meta WHERE name = 'file'")
        if try recorded.first({ $0.text(0) }) == identity { return }
        let epoch = (0..<2).map { _ in String(environment.random(), radix: 36) }.joined()
        let set = try connection.prepare("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")
        try connection.execute("BEGIN IMMEDIATE")
        for (name, value) in [("file", identity), ("epoch", Text(epoch))] as [(Text, Text)] {
            set.bind(1, name)
            set.bind(2, value)
            try set.run()
        }
        try connection.execute("COMMIT")
    }

    private static func state(of connection: SQLiteConnection) throws -> ObjectWriter.State {
        var state = ObjectWriter.State(
            sequence: 0,
            latest: Timestamp(millisecondsSinceEpoch: 0),
            directory: try directory(of: connection)
        )
        let lastChange = try connection.prepare(
            "SELECT sequence, time FROM change ORDER BY sequence DESC LIMIT 1"
        )
        if let (sequence, time) = try lastChange.first({ ($0.integer(0), $0.timestamp(1)) }) {
            state.sequence = sequence
            state.latest = time
        }
        // A creation's number and date are the object's own.
        let lastObject = try connection.prepare(
            """
            SELECT row, created FROM object WHERE row BETWEEN ?1 AND ?2 ORDER BY row DESC LIMIT 1
            """
        )
        try state.directory.forEach { _, record in
            lastObject.bind(1, record.rows.first)
            lastObject.bind(2, record.rows.last)
            let last = try lastObject.first { ($0.integer(0), $0.timestamp(1)) }
            guard let (row, created) = last else { return }
            state.sequence = max(state.sequence, ClassRows.sequence(ofRow: row))
            state.latest = max(state.latest, created)
        }
        return state
    }

    private static func directory(of connection: SQLiteConnection) throws -> ClassDirectory {
        var directory = ClassDirectory()
        let classes = try connection.prepare(
            "SELECT number, name, relay, default_acl FROM class"
        )
        while try classes.step() {
            guard let relay = ClassSettings.Relay(rawValue: classes.text(2).string),
                let defaultACL = ClassSettings.DefaultACL(rawValue: classes.text(3).string)
            else { throw DomainError(.system, cause: "unknown setting of a class") }
            let record = ClassRecord(
                rows: ClassRows(classNumber: classes.integer(0)),
                settings: ClassSettings(relay: relay, defaultACL: defaultACL)
            )
            directory.set(record, for: try ClassName(any: classes.text(1)))
        }
        try readIndexes(of: connection, into: &directory)
        return directory
    }

    private static func readIndexes(
        of connection: SQLiteConnection,
        into directory: inout ClassDirectory
    ) throws {
        let indexes = try connection.prepare(
            """
            SELECT number, class, field, declared, built, made, used, state, failure, object
            FROM field_index WHERE state IN (0, 2) ORDER BY number
            """
        )
        while try indexes.step() {
            let rows = ClassRows(classNumber: indexes.integer(1))
            guard let name = directory.name(ofRow: rows.first), var record = directory[name] else {
                throw DomainError(.system, cause: "an index of no class")
            }
            if indexes.integer(7) == 0 {
                record.indexes.append(try index(indexes))
            } else {
                record.failedIndexes.append(try failedIndex(indexes))
            }
            directory.set(record, for: name)
        }
    }

    private static func index(_ row: SQLiteStatement) throws -> FieldIndex {
        FieldIndex(
            number: row.integer(0),
            path: try FieldPath(row.text(2)),
            isDeclared: row.integer(3) == 1,
            built: row.integer(4),
            made: row.isNull(5) ? nil : row.timestamp(5),
            lastUsed: row.isNull(6) ? nil : row.timestamp(6)
        )
    }

    private static func failedIndex(_ row: SQLiteStatement) throws -> FailedIndex {
        guard let reason = IndexFailure.Reason(rawValue: row.text(8).string) else {
            throw DomainError(.system, cause: "unknown failure of an index")
        }
        return FailedIndex(
            number: row.integer(0),
            path: try FieldPath(row.text(2)),
            failure: IndexFailure(reason: reason, objectID: row.text(9))
        )
    }
}
