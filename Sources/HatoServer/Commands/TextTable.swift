/// Lines of text in columns, each as wide as its widest cell.
struct TextTable {
    /// How a column's cells lie in it.
    enum Side {
        case left
        case right
    }

    private static let gap = "  "

    private let sides: [Side]
    private var rows: [[String]] = []

    init(_ sides: [Side]) {
        self.sides = sides
    }

    /// Adds a row; cells without a column are dropped, missing ones are empty.
    mutating func add(_ cells: String...) {
        rows.append(sides.indices.map { $0 < cells.count ? cells[$0] : "" })
    }

    /// The rows, each on a line that begins with `indent`.
    func text(indent: String) -> String {
        let widths = sides.indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                switch sides[column] {
                case .left: return row[column] + space
                case .right: return space + row[column]
                }
            }
            let line = indent + cells.joined(separator: TextTable.gap)
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}
