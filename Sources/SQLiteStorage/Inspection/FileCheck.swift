import CSQLite
import HatoWire
import ObjectModel

/// Has SQLite look at its own file: pages, trees, order and constraints.
struct FileCheck {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Returns SQLite's sentences; they name tables and pages, never values.
    func complaints() throws(SQLiteFailure) -> [Text] {
        do throws(SQLiteFailure) {
            let check = try connection.prepare("PRAGMA quick_check")
            var complaints: [Text] = []
            while try check.step() {
                let line = check.text(0)
                if line != "ok" { complaints.append(Text("the file is damaged: \(line)")) }
            }
            return complaints
        } catch {
            // So damaged that it can't even be looked at.
            guard error.isDamage else { throw error }
            return [Text("the file is damaged: \(error)")]
        }
    }
}

extension SQLiteFailure {
    /// Whether the file is not what SQLite once wrote.
    fileprivate var isDamage: Bool {
        code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB
    }
}
