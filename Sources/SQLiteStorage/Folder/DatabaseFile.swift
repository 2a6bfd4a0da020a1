import HatoWire
import Migrations
import ObjectModel
import SQLStorage

/// Opens a database file for writing: creates it, applies what migrations it lacks.
enum DatabaseFile {
    /// Returns the writer's connection.
    ///
    /// Errors: `unavailable` with the reason as cause when the file can't be used, and a newer
    /// schema's refusal.
    static func open(
        _ path: String,
        _ migrations: [Migration],
        now: Timestamp
    )
        throws(DomainError) -> SQLiteConnection
    {
        do {
            try FileSystem.createFile(path)
            let connection = try SQLiteConnection(path: path, role: .writer)
            try migrate(connection, migrations, now: now)
            return connection
        } catch {
            throw DomainError(.unavailable, cause: "\(path): \(error)")
        }
    }

    private static func migrate(
        _ connection: SQLiteConnection,
        _ migrations: [Migration],
        now: Timestamp
    ) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS migration (
                number INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                applied INTEGER NOT NULL
            ) STRICT
            """
        )
        var applied: [Int] = []
        let recorded = try connection.prepare("SELECT number FROM migration ORDER BY number")
        while try recorded.step() { applied.append(Int(recorded.integer(0))) }
        let record = try connection.prepare("INSERT INTO migration VALUES (?1, ?2, ?3)")
        for migration in try Migrator.pending(of: migrations, applied: applied) {
            try connection.execute("BEGIN IMMEDIATE")
            do {
                try connection.execute(script: migration.sqlite)
                record.bind(1, Int64(migration.number))
                record.bind(2, Text(migration.name))
                record.bind(3, now.millisecondsSinceEpoch)
                try record.run()
                try connection.execute("COMMIT")
            } catch {
                if connection.isInTransaction { try connection.execute("ROLLBACK") }
                throw error
            }
        }
    }
}
