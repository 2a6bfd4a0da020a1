import HatoWire
import Migrations
import ObjectModel

/// The table `application` of `data/hato.db`, through its one connection.
///
/// Invariant of `@unchecked Sendable`: its owner calls it under a lock.
final class ApplicationTable: @unchecked Sendable {
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let update: SQLiteStatement

    /// Opens the file, creating it if need be.
    ///
    /// Errors: `unavailable`.
    init(path: String, now: Timestamp) throws(DomainError) {
        connection = try DatabaseFile.open(path, Migration.applications, now: now)
        do throws(SQLiteFailure) {
            insert = try connection.prepare(
                """
                INSERT INTO application (
                    id, name, application_key, client_key, relay_key, relay_secret, created,
                    requires_signature, timestamp_window_seconds, hides_unreadable,
                    allows_anonymous, session_lifetime_seconds
                ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
                """
            )
            update = try connection.prepare(
                """
                UPDATE application SET
                    requires_signature = ?8, timestamp_window_seconds = ?9,
                    hides_unreadable = ?10, allows_anonymous = ?11,
                    session_lifetime_seconds = ?12
                WHERE name = ?2
                """
            )
        } catch {
            throw ApplicationTable.unavailable(error)
        }
    }

    /// Returns all applications in the order of their creation.
    func all() throws(DomainError) -> [Application] {
        do throws(SQLiteFailure) {
            let select = try connection.prepare(
                """
                SELECT id, name, application_key, client_key, relay_key, relay_secret,
                    requires_signature, timestamp_window_seconds, hides_unreadable,
                    allows_anonymous, session_lifetime_seconds
                FROM application ORDER BY number
                """
            )
            var applications: [Application] = []
            while try select.step() { applications.append(select.application()) }
            return applications
        } catch {
            throw ApplicationTable.unavailable(error)
        }
    }

    /// Adds a row; durable when it returns.
    ///
    /// Its unique values were checked by the caller.
    func add(_ application: Application, at moment: Timestamp) throws(DomainError) {
        insert.bind(1, application.id)
        insert.bind(2, application.name)
        insert.bind(3, application.applicationKey)
        insert.bind(4, application.clientKey)
        insert.bind(5, application.relayKey)
        insert.bind(6, application.relaySecret)
        insert.bind(7, moment)
        try run(insert, application.settings)
    }

    /// Replaces the settings; durable when it returns.
    func set(_ settings: ApplicationSettings, forApplicationNamed name: Text) throws(DomainError) {
        update.bind(2, name)
        try run(update, settings)
    }

    /// Copies the write-ahead log into the file.
    func checkpoint() throws(SQLiteFailure) {
        _ = try connection.checkpoint(everything: true)
    }

    private func run(
        _ statement: SQLiteStatement,
        _ settings: ApplicationSettings
    )
        throws(DomainError)
    {
        statement.bind(8, settings.requiresSignature ? 1 : 0)
        statement.bind(9, settings.timestampWindowSeconds.map { Int64($0) })
        statement.bind(10, settings.hidesUnreadable ? 1 : 0)
        statement.bind(11, settings.allowsAnonymous ? 1 : 0)
        statement.bind(12, Int64(settings.sessionLifetimeSeconds))
        do throws(SQLiteFailure) {
            try statement.run()
        } catch {
            throw ApplicationTable.unavailable(error)
        }
    }

    private static func unavailable(_ failure: SQLiteFailure) -> DomainError {
        DomainError(.unavailable, cause: "\(failure)")
    }
}

extension SQLiteStatement {
    fileprivate func application() -> Application {
        Application(
            id: text(0),
            name: text(1),
            applicationKey: text(2),
            clientKey: text(3),
            relayKey: text(4),
            relaySecret: text(5),
            settings: ApplicationSettings(
                requiresSignature: integer(6) != 0,
                timestampWindowSeconds: isNull(7) ? nil : Int(integer(7)),
                hidesUnreadable: integer(8) != 0,
                allowsAnonymous: integer(9) != 0,
                sessionLifetimeSeconds: Int(integer(10))
            )
        )
    }
}
