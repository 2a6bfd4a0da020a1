/// A numbered step of a database's schema; its SQL file lies beside this one.
package struct Migration: Sendable {
    /// From 1, without gaps.
    package let number: Int
    package let name: String
    /// Statements in SQLite's dialect, run in one transaction.
    package let sqlite: String

    init(_ number: Int, _ name: String, _ sqlite: [UInt8]) {
        self.number = number
        self.name = name
        self.sqlite = String(decoding: sqlite, as: UTF8.self)
    }
}

extension Migration {
    /// The steps of `data/hato.db`.
    package static let applications: [Migration] = [
        Migration(1, "applications", PackageResources._001_applications_sqlite_sql),
        Migration(2, "makes_indexes", PackageResources._002_makes_indexes_sqlite_sql),
        Migration(3, "relay_settings", PackageResources._003_relay_settings_sqlite_sql),
        Migration(4, "demo", PackageResources._004_demo_sqlite_sql),
    ]

    /// The steps of each `data/apps/<id>/objects.db`.
    package static let objects: [Migration] = [
        Migration(1, "objects", PackageResources._001_objects_sqlite_sql),
        Migration(2, "indexes", PackageResources._002_indexes_sqlite_sql),
        Migration(3, "index_lives", PackageResources._003_index_lives_sqlite_sql),
    ]
}
