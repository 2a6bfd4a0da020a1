import HatoWire
package import ObjectModel

/// Makes the SQL of a list: query tree and read scope in, text and bound values out.
///
/// Rows of a class lie in the order of their creation, so the default order (newest first) and
/// `createDate` need no sorting. What a list walks:
///
/// - unfiltered: the index of public objects and the asker's grant ranges, merged by
///   (created, row), equal rows once;
/// - filtered or sorted by a field: the class's rows with the flag or the ACL checked, or, when the
///   asker sees few, those few.
///
/// Filters and sort keys are functions over the document that the connection provides:
/// `hato_matches(id, created, updated, doc)`, `hato_key(id, created, updated, doc)`,
/// `hato_readable(acl)`.
package struct ListCompiler<Dialect: SQLDialect>: Sendable {
    /// Which of the class's rows are looked at.
    package enum Walk: Sendable, Hashable {
        /// All rows, access checked on each.
        case scan
        /// Those in the public index and the grants of the keys.
        case visible
    }

    /// How many of the asker's keys are merged as walks of their own; more are sorted as one.
    package static var mergedKeyLimit: Int { 8 }
    /// At most so many visible rows make `visible` the better walk for a filter.
    package static var probeLimit: Int { 1_000 }

    private let dialect: Dialect
    private let rows: ClassRows
    private let scope: AccessPolicy.ReadScope
    private let isFiltered: Bool
    private let order: ListOrder

    package init(
        _ dialect: Dialect,
        rows: ClassRows,
        scope: AccessPolicy.ReadScope,
        isFiltered: Bool,
        order: ListOrder
    ) {
        self.dialect = dialect
        self.rows = rows
        self.scope = scope
        self.isFiltered = isFiltered
        self.order = order
    }

    /// Counts the rows that the scope can see, up to one more than `probeLimit`; nil when the walk
    /// is clear without asking.
    package var probe: CompiledSQL? {
        guard case .keys(let keys) = scope, isFiltered || !order.followsRows else { return nil }
        let publicArm = publicRows(selecting: "1")
        let limit = SQLValue.integer(Int64(Self.probeLimit + 1))
        guard let grants = grantRows(of: keys, selecting: "1") else {
            return compile("SELECT count(*) FROM (\(publicArm) LIMIT \(limit))")
        }
        return compile("SELECT count(*) FROM (\(publicArm) UNION ALL \(grants) LIMIT \(limit))")
    }

    /// Returns the page's objects in order: row, id, created, updated, acl, doc.
    package func page(_ walk: Walk, limit: Int, skip: Int) -> CompiledSQL {
        let window: SQLFragment =
            " LIMIT \(.integer(Int64(limit))) OFFSET \(.integer(Int64(skip)))"
        guard order.followsRows else {
            return joined(
                "SELECT o.row AS row FROM object AS o WHERE \(candidates(walk)) ORDER BY \(sortTerms)\(window)"
            )
        }
        let direction: SQLFragment = order.isDescending ? "DESC" : "ASC"
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

    /// Counts all that the query matches and the scope may see.
    package func count(_ walk: Walk) -> CompiledSQL {
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

    private var classNumber: SQLValue { .integer(rows.classNumber) }
    private var columns: SQLFragment { "o.row, o.id, o.created, o.updated, o.acl, o.doc" }

    private func compile(_ fragment: SQLFragment) -> CompiledSQL {
        fragment.rendered(in: dialect)
    }

    /// Fetches the objects of a page of rows; the inner LIMIT keeps SQLite from dropping its order.
    private func joined(_ page: SQLFragment) -> CompiledSQL {
        compile(
            "SELECT \(columns) FROM (\(page)) AS page\(dialect.orderedJoin)object AS o ON o.row = page.row"
        )
    }

    /// The condition of every row of the walk that is looked at, access and filter in it.
    private func candidates(_ walk: Walk) -> SQLFragment {
        var conditions: [SQLFragment] = []
        switch (walk, scope) {
        case (.scan, .everything), (.visible, .everything):
            conditions.append(inClass)
        case (.scan, .keys):
            conditions.append(inClass)
            conditions.append("(o.public_read = 1 OR hato_readable(o.acl))")
        case (.visible, .keys(let keys)):
            var arms = [publicRows(selecting: "row")]
            if let grants = grantRows(of: keys, selecting: "row") { arms.append(grants) }
            conditions.append("o.row IN (\(arms, separator: " UNION ALL "))")
        }
        if isFiltered { conditions.append("hato_matches(o.id, o.created, o.updated, o.doc)") }
        return "\(conditions, separator: " AND ")"
    }

    private var inClass: SQLFragment {
        "o.row BETWEEN \(.integer(rows.first)) AND \(.integer(rows.last))"
    }

    private func publicRows(selecting what: SQLFragment) -> SQLFragment {
        "SELECT \(what) FROM object\(dialect.indexHint(.objectPublic)) WHERE class = \(classNumber) AND public_read = 1"
    }

    /// The grants of all keys but `*`, which has none; nil when there is no other key.
    private func grantRows(of keys: [Text], selecting what: SQLFragment) -> SQLFragment? {
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

    /// The terms of an ORDER BY: the key's bytes have the terms' directions in them.
    private var sortTerms: SQLFragment {
        let tie: SQLFragment = order.isDescending ? "DESC" : "ASC"
        return
            "hato_key(o.id, o.created, o.updated, o.doc), o.created \(tie), o.row \(tie)"
    }
}
