package import HatoWire
package import ObjectModel

/// Makes the SQL of a list: query tree and read scope in, text and bound values out.
///
/// Rows of a class lie in the order of their creation, so the default order (newest first) and
/// `createDate` need no sorting. Filters and sort keys are functions over the document that the
/// connection provides: `hato_contains(doc)`, `hato_matches(id, created, updated, doc)`,
/// `hato_key(id, created, updated, doc)`, `hato_readable(acl)`,
/// `hato_append(id, created, updated, acl, doc)`.
package struct ListCompiler<Dialect: SQLDialect>: Sendable {
    /// Which of the class's rows are looked at, and how they are come by.
    package enum Walk: Sendable, Hashable {
        /// All rows, access checked on each; unfiltered in the order of creation, the index of
        /// public objects and the asker's grants merged.
        case scan
        /// Those in the public index and the grants of the keys.
        case visible
        /// Those with these ids.
        case ids([Text])
        /// Those that an index finds for the filter.
        case keys(KeyWalk)
        /// All in the order of an index.
        case ordered(OrderedWalk)
    }

    /// How many of the asker's keys are merged as walks of their own; more are sorted as one.
    package static var mergedKeyLimit: Int { 8 }

    /// What a page's statement gives for each object.
    package enum Output: Sendable {
        /// Its columns: row, id, created, updated, acl, doc.
        case columns
        /// Nothing: the function `hato_append` takes the columns where they lie.
        case appended
    }

    let dialect: Dialect
    let rows: ClassRows
    let scope: AccessPolicy.ReadScope
    let isFiltered: Bool
    let order: ListOrder
    /// Whether the filter looks at what stands beside the document.
    private let asksSystemFields: Bool
    private let output: Output
    /// Whether documents that can't match are told by a search in their bytes.
    private let hasNeedle: Bool
    /// The rows that a scan looks at.
    private let scanned: ClosedRange<Int64>

    /// `scanned` nil: all of the class.
    package init(
        _ dialect: Dialect,
        _ query: Query,
        rows: ClassRows,
        scope: AccessPolicy.ReadScope,
        output: Output = .columns,
        hasNeedle: Bool = false,
        scanned: ClosedRange<Int64>? = nil
    ) {
        self.dialect = dialect
        self.rows = rows
        self.scope = scope
        self.isFiltered = !query.filter.isTrivial
        self.order = ListOrder(query.order)
        self.asksSystemFields = query.filter.asksSystemFields
        self.output = output
        self.hasNeedle = hasNeedle
        self.scanned = scanned ?? rows.first...rows.last
    }

    /// Returns the page's objects in order.
    package func page(_ walk: Walk, limit: Int, skip: Int) -> CompiledSQL {
        let window: SQLFragment =
            " LIMIT \(.integer(Int64(limit))) OFFSET \(.integer(Int64(skip)))"
        switch walk {
        case .scan, .visible, .ids: return rowsPage(walk, window)
        case .keys(let keys): return keysPage(keys, window)
        case .ordered(let ordered): return orderedPage(ordered, window)
        }
    }

    /// Counts all that the query matches and the scope may see.
    package func count(_ walk: Walk) -> CompiledSQL {
        switch walk {
        case .keys(let keys):
            return compile("SELECT count(*) FROM (\(matchingRows(keys)))")
        case .scan, .visible, .ids, .ordered:
            break
        }
        if isFiltered {
            return compile("SELECT count(*) FROM object AS o WHERE \(candidates(walk))")
        }
        switch scope {
        case .everything:
            return compile(
                "SELECT count(*) FROM object\(dialect.indexHint(.objectByID)) WHERE class = \(classNumber)"
            )
        case .keys(let keys):
            let publicCount = publicRows(selecting: "count(*)")
            guard let grants = grantRows(of: keys, selecting: "count(DISTINCT row)") else {
                return compile(publicCount)
            }
            // No object is in both: grants are kept only of objects that are not public.
            return compile("SELECT (\(publicCount)) + (\(grants))")
        }
    }

    // MARK: What every walk is put together from

    var classNumber: SQLValue { .integer(rows.classNumber) }
    var columns: SQLFragment {
        switch output {
        case .columns: "o.row, o.id, o.created, o.updated, o.acl, o.doc"
        case .appended: "hato_append(o.id, o.created, o.updated, o.acl, o.doc)"
        }
    }
    var direction: SQLFragment { order.isDescending ? "DESC" : "ASC" }
    /// What SQLite need not take out of a row costs nothing: a scan that only asks documents is a
    /// third faster.
    private var matches: SQLFragment {
        let test: SQLFragment =
            asksSystemFields
            ? "hato_matches(o.id, o.created, o.updated, o.doc)"
            : "hato_matches(NULL, NULL, NULL, o.doc)"
        // A value's AND would evaluate both sides.
        return hasNeedle ? "CASE WHEN hato_contains(o.doc) THEN \(test) ELSE 0 END" : test
    }

    var readable: SQLFragment {
        switch scope {
        case .everything: "1"
        case .keys: "(o.public_read = 1 OR hato_readable(o.acl))"
        }
    }

    /// The filter is asked of readable objects only, in this order: neither a pattern that is too costly
    /// for some text nor the time that a search takes may tell that the text is there.
    var readableAndMatching: SQLFragment {
        switch scope {
        case .everything: matches
        case .keys: "CASE WHEN \(readable) THEN \(matches) ELSE 0 END"
        }
    }

    func compile(_ fragment: SQLFragment) -> CompiledSQL {
        fragment.compiled(for: dialect)
    }

    /// Fetches the objects of a page of rows; the inner LIMIT keeps SQLite from dropping its order.
    ///
    /// Where the function takes the columns, it is a condition that no row meets: the statement runs to
    /// its end in one step.
    func joined(_ page: SQLFragment) -> CompiledSQL {
        let objects: SQLFragment = "FROM (\(page)) AS page\(object("page"))"
        return switch output {
        case .columns: compile("SELECT \(columns) \(objects)")
        case .appended: compile("SELECT 1 \(objects) WHERE \(columns)")
        }
    }

    /// Whether a page's rows are known before any object is looked up.
    package func knowsRows(_ walk: KeyWalk) -> Bool {
        walk.isExact && walk.followsRows && order.followsRows
    }

    /// Returns the rows of a page whose rows are known, alone.
    package func pageRows(_ keys: KeyWalk, limit: Int, skip: Int) -> CompiledSQL {
        let window: SQLFragment =
            " LIMIT \(.integer(Int64(limit))) OFFSET \(.integer(Int64(skip)))"
        return compile("\(matchingRows(keys)) ORDER BY 1 \(direction)\(window)")
    }

    /// Joins each row's object as `o`.
    func object(_ table: SQLFragment) -> SQLFragment {
        "\(dialect.orderedJoin)object AS o ON o.row = \(table).row"
    }

    /// The terms of an ORDER BY: the key's bytes have the terms' directions in them.
    var sortTerms: SQLFragment {
        "hato_key(o.id, o.created, o.updated, o.doc), o.created \(direction), o.row \(direction)"
    }

    // MARK: Walks over rows

    private func rowsPage(_ walk: Walk, _ window: SQLFragment) -> CompiledSQL {
        guard order.followsRows else {
            return joined(
                "SELECT o.row AS row FROM object AS o WHERE \(candidates(walk)) ORDER BY \(sortTerms)\(window)"
            )
        }
        guard !isFiltered, case .keys(let keys) = scope else {
            return compile(
                "SELECT \(columns) FROM object AS o WHERE \(candidates(walk)) ORDER BY o.row \(direction)\(window)"
            )
        }
        let arms = visibleArms(of: keys)
        if arms.count == 1 {
            return compile(
                "SELECT \(columns) FROM object AS o\(dialect.indexHint(.objectPublic)) WHERE o.class = \(classNumber) AND o.public_read = 1 ORDER BY o.created \(direction), o.row \(direction)\(window)"
            )
        }
        return joined(
            "\(arms, separator: " UNION ") ORDER BY 1 \(direction), 2 \(direction)\(window)"
        )
    }

    /// The condition of every row of the walk that is looked at, access and filter in it.
    private func candidates(_ walk: Walk) -> SQLFragment {
        var conditions: [SQLFragment] = []
        if case .ids(let ids) = walk {
            let values = ids.map { id -> SQLFragment in "\(.text(id))" }
            conditions.append(
                "o.row IN (SELECT row FROM object\(dialect.indexHint(.objectByID)) WHERE class = \(classNumber) AND id IN (\(values, separator: ", ")))"
            )
        }
        if case (.visible, .keys(let keys)) = (walk, scope) {
            var arms = [publicRows(selecting: "row")]
            if let grants = grantRows(of: keys, selecting: "row") { arms.append(grants) }
            conditions.append("o.row IN (\(arms, separator: " UNION ALL "))")
            if isFiltered { conditions.append(matches) }
        } else {
            conditions.append(inClass)
            if isFiltered {
                conditions.append(readableAndMatching)
            } else if case .keys = scope {
                conditions.append(readable)
            }
        }
        return "\(conditions, separator: " AND ")"
    }

    private var inClass: SQLFragment {
        "o.row BETWEEN \(.integer(scanned.lowerBound)) AND \(.integer(scanned.upperBound))"
    }

    func publicRows(selecting what: SQLFragment) -> SQLFragment {
        "SELECT \(what) FROM object\(dialect.indexHint(.objectPublic)) WHERE class = \(classNumber) AND public_read = 1"
    }

    /// The grants of all keys but `*`, which has none; nil when there is no other key.
    func grantRows(of keys: [Text], selecting what: SQLFragment) -> SQLFragment? {
        let principals = grantKeys(keys)
        guard !principals.isEmpty else { return nil }
        let values = principals.map { key -> SQLFragment in "\(.text(key))" }
        return
            "SELECT \(what) FROM \"grant\" WHERE class = \(classNumber) AND principal IN (\(values, separator: ", "))"
    }

    /// The sorted walks whose merge is what the keys can see.
    private func visibleArms(of keys: [Text]) -> [SQLFragment] {
        let publicArm = publicRows(selecting: "created, row")
        let principals = grantKeys(keys)
        guard principals.count <= Self.mergedKeyLimit else {
            return [publicArm] + (grantRows(of: keys, selecting: "created, row").map { [$0] } ?? [])
        }
        return [publicArm]
            + principals.map { key in
                "SELECT created, row FROM \"grant\" WHERE class = \(classNumber) AND principal = \(.text(key))"
            }
    }

    private func grantKeys(_ keys: [Text]) -> [Text] {
        keys.filter { $0 != "*" }
    }
}
