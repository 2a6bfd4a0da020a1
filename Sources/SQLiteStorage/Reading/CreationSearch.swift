import HatoWire
import ObjectModel
import SQLStorage

/// Finds the rows of a class that were created in a span of time.
///
/// Rows lie in the order of their creation and dates never decrease (rulings 11), so halving finds
/// the first and the last row without an index: what a chat asks for that was away a while.
struct CreationSearch {
    private let next: SQLiteStatement
    private let last: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        next = try connection.prepare(
            "SELECT row, created FROM object WHERE row BETWEEN ?1 AND ?2 ORDER BY row LIMIT 1"
        )
        last = try connection.prepare(
            "SELECT row FROM object WHERE row BETWEEN ?1 AND ?2 ORDER BY row DESC LIMIT 1"
        )
    }

    /// Returns rows outside of which the filter takes none; nil when it sets no bounds.
    func rows(of filter: Filter, in rows: ClassRows) throws -> ClosedRange<Int64>? {
        let bounds = filter.creationBounds
        guard bounds.from != nil || bounds.through != nil else { return nil }
        last.bind(1, rows.first)
        last.bind(2, rows.last)
        guard let end = try last.first({ $0.integer(0) }) else { return nil }
        var first = rows.first
        var limit = end + 1
        if let from = bounds.from { first = try firstRow(in: first..<limit) { $0 >= from } }
        if let through = bounds.through {
            limit = try firstRow(in: first..<limit) { $0 > through }
        }
        return first...max(first, limit - 1)
    }

    /// Returns where the objects begin whose date meets a condition that all later ones meet too.
    private func firstRow(
        in rows: Range<Int64>,
        _ isLate: (Timestamp) -> Bool
    ) throws -> Int64 {
        var low = rows.lowerBound
        var high = rows.upperBound
        while low < high {
            let middle = low + (high - low) / 2
            next.bind(1, middle)
            next.bind(2, high - 1)
            let found = try next.first { ($0.integer(0), $0.timestamp(1)) }
            if let (row, created) = found, !isLate(created) {
                low = row + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
