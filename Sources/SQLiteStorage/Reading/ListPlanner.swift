import HatoWire
import ObjectModel
import SQLStorage

/// Chooses how a list comes by its rows.
///
/// Works inside the list's transaction: how many keys a way has is counted, up to a bound, and an
/// index counts only if this transaction sees it whole.
struct ListPlanner {
    typealias Compiler = ListCompiler<SQLiteDialect>

    /// What SQL does for the page and for the count.
    struct Plan {
        var page: Compiler.Walk
        var count: Compiler.Walk
    }

    private let compiler: Compiler
    private let query: Query
    private let limits: PlannerLimits
    /// Runs a statement that counts.
    private let number: (CompiledSQL) throws -> Int
    /// Asks the transaction about an index; nil: it is not whole, or gone.
    private let hasElements: (FieldIndex) throws -> Bool?
    /// Whether the asker can see more than `visibleRows` objects.
    private let seesMany: () throws -> Bool
    /// Whether everybody can see more than that, which is remembered for a while.
    private let everybodySeesMany: () throws -> Bool

    init(
        _ compiler: Compiler,
        _ query: Query,
        _ limits: PlannerLimits,
        number: @escaping (CompiledSQL) throws -> Int,
        hasElements: @escaping (FieldIndex) throws -> Bool?,
        seesMany: @escaping () throws -> Bool,
        everybodySeesMany: @escaping () throws -> Bool
    ) {
        self.compiler = compiler
        self.query = query
        self.limits = limits
        self.number = number
        self.hasElements = hasElements
        self.seesMany = seesMany
        self.everybodySeesMany = everybodySeesMany
    }

    func plan(_ indexes: [FieldIndex]) throws -> Plan {
        let order = ListOrder(query.order)
        let isFiltered = !query.filter.isTrivial
        guard isFiltered || !order.followsRows else { return Plan(page: .scan, count: .scan) }
        if let ids = query.filter.ids { return Plan(page: .ids(ids), count: .ids(ids)) }
        if query.filter.hasPattern { return try planOfPattern(indexes, order) }
        if let walk = try onlyWalk(indexes, order) {
            return Plan(page: .keys(walk), count: .keys(walk))
        }
        let ways = isFiltered ? try keyWalks(indexes) : []
        if let few = ways.first, few.rows <= limits.fewRows {
            return Plan(page: .keys(few.walk), count: .keys(few.walk))
        }
        guard try seesMany() else { return Plan(page: .visible, count: .visible) }
        let count = ways.first.map { Compiler.Walk.keys($0.walk) } ?? .scan
        let ordered = try orderedWalk(indexes, order)
        return Plan(page: try page(ways, ordered, order), count: count)
    }

    /// The plan of a filter with a pattern: by the indexes, and by how many objects the asker can see.
    ///
    /// Which objects are looked at decides whether a pattern meets a text that is too costly for it. If
    /// that came from counts that include objects which the asker may not read, a refusal would tell of
    /// those.
    private func planOfPattern(_ indexes: [FieldIndex], _ order: ListOrder) throws -> Plan {
        for condition in query.filter.keyConditions {
            guard let walk = try keyWalk(condition, indexes) else { continue }
            return Plan(page: .keys(walk), count: .keys(walk))
        }
        guard try seesMany() else { return Plan(page: .visible, count: .visible) }
        let ordered = try orderedWalk(indexes, order)
        return Plan(page: ordered.map { .ordered($0) } ?? .scan, count: .scan)
    }

    /// The walk that is chosen whatever counting its keys would say: the filter's one condition with an
    /// index, its keys in the order asked for, in a class of which everybody sees many objects.
    private func onlyWalk(_ indexes: [FieldIndex], _ order: ListOrder) throws -> KeyWalk? {
        guard order.followsRows else { return nil }
        let conditions = query.filter.keyConditions.filter { condition in
            indexes.contains { $0.path == condition.path && $0.isReady }
        }
        guard conditions.count == 1, try everybodySeesMany() else { return nil }
        let walk = try keyWalk(conditions[0], indexes)
        return walk?.followsRows == true ? walk : nil
    }

    /// The walk of a condition whose index this transaction sees whole.
    private func keyWalk(_ condition: KeyCondition, _ indexes: [FieldIndex]) throws -> KeyWalk? {
        guard let index = indexes.first(where: { $0.path == condition.path && $0.isReady }),
            let hasElements = try hasElements(index)
        else { return nil }
        return KeyWalk(index, condition, hasElements: hasElements)
    }

    /// A walk and how many keys it has, at most one more than was counted.
    private struct Way {
        var walk: KeyWalk
        var rows: Int
    }

    /// The ways by index, the shortest first.
    private func keyWalks(_ indexes: [FieldIndex]) throws -> [Way] {
        guard !indexes.isEmpty else { return [] }
        var ways: [Way] = []
        for condition in query.filter.keyConditions {
            guard let walk = try keyWalk(condition, indexes) else { continue }
            let probe = compiler.probe(walk, upTo: limits.fewRows + 1)
            ways.append(Way(walk: walk, rows: try number(probe)))
            if let last = ways.last, last.rows <= limits.fewRows { break }
        }
        return ways.sorted { $0.rows < $1.rows }
    }

    /// The way for a filter that meets many rows.
    private func page(
        _ ways: [Way],
        _ ordered: OrderedWalk?,
        _ order: ListOrder
    ) throws -> Compiler.Walk {
        guard let way = ways.first else { return ordered.map { .ordered($0) } ?? .scan }
        // These come in order, so that a page takes what it needs and nothing more.
        if order.followsRows, let streaming = ways.first(where: \.walk.followsRows) {
            return .keys(streaming.walk)
        }
        if let ordered {
            let keys = try number(compiler.probe(way.walk, upTo: limits.visibleRows + 1))
            return keys <= limits.visibleRows ? .keys(way.walk) : .ordered(ordered)
        }
        guard order.followsRows, let looks = try expectedLooks() else { return .keys(way.walk) }
        // The first rows may be unlike the others: no scan is chosen where there are fewer keys.
        let isShort = looks <= limits.shortScan
        let bound = isShort ? looks : limits.sortableKeys
        let keys = try number(compiler.probe(way.walk, upTo: bound + 1))
        guard keys > bound else { return .keys(way.walk) }
        return isShort || looks < keys ? .scan : .keys(way.walk)
    }

    /// How many rows a scan would look at until the page is full, if all are as the first ones; nil
    /// when none of those matches.
    private func expectedLooks() throws -> Int? {
        let hits = try number(compiler.sample(rows: limits.sampleRows))
        guard hits > 0 else { return nil }
        let (wanted, isHuge) = query.skip.addingReportingOverflow(query.limit)
        let (looks, isMore) = wanted.multipliedReportingOverflow(by: limits.sampleRows)
        return isHuge || isMore ? Int.max : looks / hits
    }

    /// The walk for a filter by place that an index answers; nil when there is none, or when another
    /// index leaves few objects.
    ///
    /// A circle without bounds takes everything: only the nearest of it can be found.
    func placeWalk(_ indexes: [FieldIndex]) throws -> PlaceWalk? {
        let conditions = query.filter.placeConditions
        guard !conditions.isEmpty, query.filter.ids == nil, !query.filter.hasPattern else {
            return nil
        }
        if let few = try keyWalks(indexes).first, few.rows <= limits.fewRows { return nil }
        let order = query.order.count == 1 ? query.order[0] : nil
        for (path, condition) in conditions {
            guard let index = indexes.first(where: { $0.path == path && $0.isReady }),
                try hasElements(index) != nil
            else { continue }
            switch condition {
            case .near(let circle):
                let isNearestFirst =
                    order?.path == path && order?.origin == circle.center
                    && order?.isDescending == false
                guard circle.radiusRadians != nil || isNearestFirst && !query.wantsCount else {
                    continue
                }
                return PlaceWalk(
                    index: index,
                    area: .circle(circle),
                    isNearestFirst: isNearestFirst
                )
            case .within(let box):
                return PlaceWalk(index: index, area: .box(box), isNearestFirst: false)
            }
        }
        return nil
    }

    /// The walk along an index that keeps the order asked for.
    private func orderedWalk(_ indexes: [FieldIndex], _ order: ListOrder) throws -> OrderedWalk? {
        guard let term = query.order.first, term.origin == nil, query.order.count <= 2,
            query.order.count == 1 || query.order[1].path.components == ["createDate"],
            let index = indexes.first(where: { $0.path == term.path && $0.isReady }),
            let hasElements = try hasElements(index)
        else { return nil }
        var range: KeyRange?
        var isExact = false
        let condition = query.filter.keyConditions.first { $0.path == term.path }
        if !hasElements, let condition, case .ranges(let whole, _) = condition.keys {
            range = whole
            isExact = condition.exactness != .never
        }
        return OrderedWalk(
            index,
            isDescending: term.isDescending,
            tieIsDescending: order.isDescending,
            range: range,
            isExact: isExact
        )
    }
}
