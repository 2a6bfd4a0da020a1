import CSQLite

/// The library's own settings, which must be made before its first use.
enum SQLiteLibrary {
    /// Memory statistics take a process-wide mutex at each allocation: measured 20 % of a point read.
    private static let isStarted: Bool = {
        hato_sqlite_config_memstatus_off() == SQLITE_OK && sqlite3_initialize() == SQLITE_OK
    }()

    /// Makes the settings once; later calls do nothing.
    static func start() {
        _ = isStarted
    }
}
