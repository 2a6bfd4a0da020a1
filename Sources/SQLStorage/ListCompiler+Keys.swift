import HatoWire
import ObjectModel

/// Walks over the keys of indexes.
///
/// A key's row says whether everybody may read its object; the ACL of any other is looked up. Only a
/// filter that the keys don't decide needs the documents.
extension ListCompiler {
    /// The page of a filter that an index answers.
    func keysPage(_ walk: KeyWalk, _ window: SQLFragment) -> CompiledSQL {
        guard order.followsRows else {
            return joined(
                "SELECT o.row AS row FROM (\(keyRows(walk))) AS k\(object("k")) WHERE \(readableAndMatching(walk)) ORDER BY \(sortTerms)\(window)"
            )
        }
        if walk.followsRows {
            // Each kind of keys of one point is sorted by rows: they are merged as far as needed.
            return joined("\(matchingRows(walk)) ORDER BY 1 \(direction)\(window)")
        }
        if walk.isExact {
            return joined(
                "SELECT row FROM (\(matchingRows(walk))) ORDER BY row \(direction)\(window)"
            )
        }
        // Sorted first, which is cheap, and looked into as far as the page needs.
        let sorted: SQLFragment =
            "SELECT row FROM (\(keyRows(walk))) ORDER BY row \(direction) LIMIT -1"
        return compile(
            "SELECT \(columns) FROM (\(sorted)) AS k\(object("k")) WHERE \(readableAndMatching(walk))\(window)"
        )
    }

    /// The page of an order that an index keeps.
    func orderedPage(_ walk: OrderedWalk, _ window: SQLFragment) -> CompiledSQL {
        var conditions: [SQLFragment] = [inIndex(walk.index, .whole)]
        if let range = walk.range { conditions.append(isIn(range)) }
        let tie: SQLFragment = walk.tieIsDescending ? "DESC" : "ASC"
        let way: SQLFragment = walk.isDescending ? "DESC" : "ASC"
        let rows = matching(isExact: walk.isExact || !isFiltered, conditions)
        return joined("\(rows) ORDER BY k.key \(way), k.row \(tie)\(window)")
    }

    /// Counts the walk's keys, at most `limit`.
    package func probe(_ walk: KeyWalk, upTo limit: Int) -> CompiledSQL {
        let arms = arms(walk).map { conditions -> SQLFragment in
            "SELECT 1 FROM field_key AS k WHERE \(conditions, separator: " AND ")"
        }
        return compile(
            "SELECT count(*) FROM (\(arms, separator: " UNION ALL ") LIMIT \(.integer(Int64(limit))))"
        )
    }

    /// Counts the rows that the scope can see, at most `limit`; nil when the scope sees everything.
    package func probeVisible(upTo limit: Int) -> CompiledSQL? {
        guard case .keys(let keys) = scope else { return nil }
        let publicArm = publicRows(selecting: "1")
        let limit = SQLValue.integer(Int64(limit))
        guard let grants = grantRows(of: keys, selecting: "1") else {
            return compile("SELECT count(*) FROM (\(publicArm) LIMIT \(limit))")
        }
        return compile("SELECT count(*) FROM (\(publicArm) UNION ALL \(grants) LIMIT \(limit))")
    }

    /// Counts the rows that everybody can see, at most `limit`.
    package func probePublic(upTo limit: Int) -> CompiledSQL {
        let rows = publicRows(selecting: "1")
        return compile("SELECT count(*) FROM (\(rows) LIMIT \(.integer(Int64(limit))))")
    }

    /// Counts how many of the first `limit` rows of the class, in the list's direction, match.
    package func sample(rows limit: Int) -> CompiledSQL {
        let first: SQLFragment =
            "SELECT row FROM object WHERE row BETWEEN \(.integer(rows.first)) AND \(.integer(rows.last)) ORDER BY row \(direction) LIMIT \(.integer(Int64(limit)))"
        return compile(
            "SELECT count(*) FROM (\(first)) AS k\(object("k")) WHERE \(readableAndMatching)"
        )
    }

    /// The walk's rows that the scope may see and the filter takes, each once.
    func matchingRows(_ walk: KeyWalk) -> SQLFragment {
        let arms = arms(walk).map { matching(isExact: walk.isExact, $0) }
        // A row may have several keys of one kind, and keys of both.
        return arms.count == 1 && walk.followsRows ? arms[0] : "\(arms, separator: " UNION ")"
    }

    /// The walk's rows, each once, not looked at.
    private func keyRows(_ walk: KeyWalk) -> SQLFragment {
        let arms = arms(walk).map { conditions -> SQLFragment in
            "SELECT k.row AS row FROM field_key AS k WHERE \(conditions, separator: " AND ")"
        }
        return "\(arms, separator: " UNION ")"
    }

    /// Selects the rows of keys that meet `conditions`; only an inexact walk reads documents.
    private func matching(isExact: Bool, _ conditions: [SQLFragment]) -> SQLFragment {
        guard isExact else {
            return
                "SELECT k.row AS row FROM field_key AS k\(object("k")) WHERE \(conditions, separator: " AND ") AND \(readableAndMatching)"
        }
        var conditions = conditions
        if case .keys = scope { conditions.append(keyReadable) }
        return "SELECT k.row AS row FROM field_key AS k WHERE \(conditions, separator: " AND ")"
    }

    private func readableAndMatching(_ walk: KeyWalk) -> SQLFragment {
        walk.isExact ? readable : readableAndMatching
    }

    private var keyReadable: SQLFragment {
        "(k.public_read = 1 OR hato_readable((SELECT acl FROM object WHERE row = k.row)))"
    }

    /// The conditions on keys of each kind that the walk covers.
    private func arms(_ walk: KeyWalk) -> [[SQLFragment]] {
        var arms: [[SQLFragment]] = []
        let kinds: [FieldIndex.Kind] = walk.hasElements ? [.whole, .element] : [.whole]
        for kind in kinds {
            let condition: SQLFragment =
                switch walk.keys {
                case .points(let points): isIn(points)
                case .ranges(let whole, let element): isIn(kind == .whole ? whole : element)
                }
            arms.append([inIndex(walk.index, kind), condition])
        }
        return arms
    }

    private func inIndex(_ index: FieldIndex, _ kind: FieldIndex.Kind) -> SQLFragment {
        "k.field = \(.integer(index.number)) AND k.kind = \(.integer(kind.rawValue))"
    }

    private func isIn(_ points: [[UInt8]]) -> SQLFragment {
        if points.count == 1 { return "k.key = \(.blob(points[0]))" }
        let values = points.map { point -> SQLFragment in "\(.blob(point))" }
        return "k.key IN (\(values, separator: ", "))"
    }

    private func isIn(_ range: KeyRange) -> SQLFragment {
        let lower: SQLFragment = range.includesLower ? ">=" : ">"
        let upper: SQLFragment = range.includesUpper ? "<=" : "<"
        return "k.key \(lower) \(.blob(range.lower)) AND k.key \(upper) \(.blob(range.upper))"
    }
}
