package import Migrations

/// Why a database can't be brought to this program's schema.
package enum MigrationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A newer program wrote it.
    case newer(found: Int, known: Int)
    /// A step in the middle was never applied.
    case gap(Int)

    package var description: String {
        switch self {
        case .newer(let found, let known):
            "the database has schema \(found) and this hato knows only \(known): "
                + "it was written by a newer hato; start that one, or restore an older backup"
        case .gap(let number):
            "the database lacks schema step \(number) below others that it has: restore a backup"
        }
    }
}

/// Decides which migrations a database still needs.
package enum Migrator {
    /// Returns the steps after those in `applied` (rising numbers), in their order.
    package static func pending(
        of known: [Migration],
        applied: [Int]
    ) throws(MigrationError)
        -> ArraySlice<Migration>
    {
        if let found = applied.last, found > known.count {
            throw .newer(found: found, known: known.count)
        }
        for (index, number) in applied.enumerated() where number != index + 1 {
            throw .gap(index + 1)
        }
        return known[applied.count...]
    }
}
