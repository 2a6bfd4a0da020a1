import HatoWire
import Migrations
import ObjectModel

/// The table `application` of `data/hato.db`, through its one connection.
///
/// Invariant of `@unchecked Sendable`: its owner calls it under a lock.
final class ApplicationTable: @unchecked Sendable {
    private struct Open {
        let connection: SQLiteConnection
        let insert: SQLiteStatement
        let update: SQLiteStatement
    }

    private let path: String
    private let environment: StoreEnvironment
    private var current: Open?
    private var mustSync = false
    /// Whether a change has failed since `all` was read: it may be durable nevertheless.
    private(set) var isStale = false

    /// Opens the file, creating it if need be.
    ///
    /// Errors: `unavailable`.
    init(path: String, _ environment: StoreEnvironment) throws(DomainError) {
        self.path = path
        self.environment = environment
        _ = try open()
    }

    /// Returns all applications in the order of their creation.
    func all() throws(DomainError) -> [Application] {
        let connection = try open().connection
        do throws(SQLiteFailure) {
            let select = try connection.prepare(
                """
                SELECT id, name, application_key, client_key, relay_key, relay_secret,
                    requires_signature, timestamp_window_seconds, hides_unreadable,
                    allows_anonymous, session_lifetime_seconds, makes_indexes,
                    relay_guards_all, relay_connections, relay_channels,
                    relay_messages_per_second, is_demo
                FROM application ORDER BY number
                """
            )
            var applications: [Application] = []
            while try select.step() { applications.append(select.application()) }
            isStale = false
            return applications
        } catch {
            throw ApplicationTable.unavailable(error)
        }
    }

    /// Adds a row; durable when it returns.
    ///
    /// Its unique values were checked by the caller.
    func add(_ application: Application, at moment: Timestamp) throws(DomainError) {
        let insert = try open().insert
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
        let update = try open().update
        update.bind(2, name)
        try run(update, settings)
    }

    /// Copies the write-ahead log into the file.
    func checkpoint() throws(SQLiteFailure) {
        _ = try current?.connection.checkpoint(everything: true)
    }

    /// Returns the connection, a new one after a failure: nobody knows what the old one holds.
    private func open() throws(DomainError) -> Open {
        if let current { return current }
        let connection = try DatabaseFile.open(
            path,
            Migration.applications,
            now: environment.now()
        )
        do throws(SQLiteFailure) {
            // After a failed sync nobody knows what of the log is on the disk: write it all again.
            if mustSync { mustSync = try !connection.checkpoint(everything: true) }
            let opened = Open(
                connection: connection,
                insert: try connection.prepare(
                    """
                    INSERT INTO application (
                        id, name, application_key, client_key, relay_key, relay_secret, created,
                        requires_signature, timestamp_window_seconds, hides_unreadable,
                        allows_anonymous, session_lifetime_seconds, makes_indexes,
                        relay_guards_all, relay_connections, relay_channels,
                        relay_messages_per_second, is_demo
                    ) VALUES (
                        ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                        ?18
                    )
                    """
                ),
                update: try connection.prepare(
                    """
                    UPDATE application SET
                        requires_signature = ?8, timestamp_window_seconds = ?9,
                        hides_unreadable = ?10, allows_anonymous = ?11,
                        session_lifetime_seconds = ?12, makes_indexes = ?13,
                        relay_guards_all = ?14, relay_connections = ?15, relay_channels = ?16,
                        relay_messages_per_second = ?17, is_demo = ?18
                    WHERE name = ?2
                    """
                )
            )
            current = opened
            return opened
        } catch {
            throw ApplicationTable.unavailable(error)
        }
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
        statement.bind(13, settings.makesIndexes ? 1 : 0)
        statement.bind(14, settings.relay.guardsAllChannels ? 1 : 0)
        statement.bind(15, settings.relay.connectionLimit.map { Int64($0) })
        statement.bind(16, settings.relay.channelLimit.map { Int64($0) })
        statement.bind(17, settings.relay.messagesPerSecond.map { Int64($0) })
        statement.bind(18, settings.isDemo ? 1 : 0)
        do throws(SQLiteFailure) {
            try environment.fail(.inCommit)
            try statement.run()
            try environment.fail(.afterCommit)
        } catch {
            current = nil
            isStale = true
            if error.isSyncFailure { mustSync = true }
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
                timestampWindowSeconds: number(7),
                hidesUnreadable: integer(8) != 0,
                allowsAnonymous: integer(9) != 0,
                sessionLifetimeSeconds: Int(integer(10)),
                makesIndexes: integer(11) != 0,
                isDemo: integer(16) != 0,
                relay: RelaySettings(
                    guardsAllChannels: integer(12) != 0,
                    connectionLimit: number(13),
                    channelLimit: number(14),
                    messagesPerSecond: number(15)
                )
            )
        )
    }

    private func number(_ column: Int32) -> Int? {
        isNull(column) ? nil : Int(integer(column))
    }
}
