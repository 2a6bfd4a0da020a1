import CSQLite
import HatoWire
import ObjectModel

/// Has SQLite look at its own file: pages, trees, order and constraints.
///
/// While SQLite looks, its transaction keeps the write-ahead log from being shortened. So a large file is
/// looked at a table at a time; only what is looked at as a whole is also asked which pages are lost or used
/// by two tables.
struct FileCheck {
    /// What is looked at in one go.
    enum Part: Sendable {
        case everything
        case table(Text)

        /// What an operator calls it.
        var name: Text {
            switch self {
            case .everything: "the file"
            case .table(let name): Text("the table \(name)")
            }
        }
    }

    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Returns the parts of a file: itself, or its tables when it has more bytes than `wholeLimit`.
    func parts(wholeLimit: Int) throws(SQLiteFailure) -> [Part] {
        do throws(SQLiteFailure) {
            let size = try connection.prepare(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            )
            if try size.first({ $0.integer(0) }) ?? 0 <= Int64(wholeLimit) { return [.everything] }
            let tables = try connection.prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            )
            var parts: [Part] = [.table("sqlite_schema")]
            while try tables.step() { parts.append(.table(tables.text(0))) }
            return parts
        } catch {
            guard error.isDamage else { throw error }
            // What there is to look at can't be read: the look at it all says so.
            return [.everything]
        }
    }

    /// Returns SQLite's sentences; they name tables and pages, never values.
    func complaints(about part: Part) throws(SQLiteFailure) -> [Text] {
        do throws(SQLiteFailure) {
            let check = try connection.prepare(text: FileCheck.statement(part))
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

    private static func statement(_ part: Part) -> String {
        switch part {
        case .everything:
            return "PRAGMA quick_check"
        case .table(let name):
            // From the file, not from a client, and a damaged file may say anything.
            let quoted = name.string.split(separator: "\"", omittingEmptySubsequences: false)
                .joined(separator: "\"\"")
            return "PRAGMA quick_check(\"\(quoted)\")"
        }
    }
}

extension SQLiteFailure {
    /// Whether the file is not what SQLite once wrote.
    fileprivate var isDamage: Bool {
        code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB
    }
}
