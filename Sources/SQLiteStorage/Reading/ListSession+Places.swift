import HatoWire
import ObjectModel
import SQLStorage

/// Lists that are answered by where objects are.
extension ListSession {
    /// A page and, when it was asked for, how many objects there are in all.
    struct PlacePage {
        var json: [UInt8] = []
        /// Matching objects that were met.
        var count = 0
    }

    /// The first radius that an unbounded search for the nearest tries, and by what it grows: 1 km.
    private static let firstRadius = 1 / GeoCircle.earthRadiusKilometers
    private static let growth = 4.0

    /// Collects the page of a walk over places; nil when too many objects are there.
    func page(_ walk: PlaceWalk, _ request: ListRequest) throws -> PlacePage? {
        guard walk.isNearestFirst, !request.query.wantsCount,
            case .circle(let circle) = walk.area, circle.radiusRadians == nil
        else {
            return try hits(of: walk, request).map { try page(of: $0, request) }
        }
        // The nearest of all: in circles that grow until they hold the page.
        var radius = ListSession.firstRadius
        while radius < Double.pi, let part = GeoCircle(center: circle.center, radiusRadians: radius)
        {
            let inner = PlaceWalk(index: walk.index, area: .circle(part), isNearestFirst: true)
            guard let hits = try hits(of: inner, request) else { return nil }
            let page = try page(of: hits, request)
            if page.count >= request.wantedCount { return page }
            radius *= ListSession.growth
        }
        return try hits(of: walk, request).map { try page(of: $0, request) }
    }

    /// The walk's rows in the page's order, not looked at, as far as the order needs no look.
    private func hits(of walk: PlaceWalk, _ request: ListRequest) throws -> [Int64]? {
        let limit = request.limits.placeHits
        guard var hits = try places.hits(in: walk.area, of: walk.index, upTo: limit) else {
            return nil
        }
        let order = ListOrder(request.query.order)
        let isBefore = { (left: Int64, right: Int64) in
            order.isDescending ? left > right : left < right
        }
        if walk.isNearestFirst {
            hits.sort {
                $0.distance == $1.distance
                    ? isBefore($0.row, $1.row) : $0.distance < $1.distance
            }
            return hits.map(\.row)
        }
        let rows = hits.map(\.row).sorted(by: isBefore)
        guard !order.followsRows else { return rows }
        var keys: [(key: [UInt8], row: Int64)] = []
        for row in rows {
            try checkTime()
            objectByRow.bind(1, row)
            if let key = try objectByRow.first({ functions.sortKey(of: $0) }) {
                keys.append((key, row))
            }
        }
        keys.sort {
            $0.key == $1.key
                ? isBefore($0.row, $1.row) : $0.key.lexicographicallyPrecedes($1.key)
        }
        return keys.map(\.row)
    }

    /// Looks at the objects in order until the page is full, or at all when they are counted.
    private func page(of rows: [Int64], _ request: ListRequest) throws -> PlacePage {
        var page = PlacePage()
        for row in rows {
            if !request.query.wantsCount, page.count >= request.wantedCount { break }
            try checkTime()
            objectByRow.bind(1, row)
            defer { objectByRow.reset() }
            guard try objectByRow.step() else { continue }
            let isReadable =
                objectByRow.integer(6) == 1
                || request.policy.mayRead(ACL(canonical: objectByRow.bytes(4)))
            // Asked in this order, as in SQL: what may not be read is not looked into.
            let isMatch = isReadable && functions.matches(objectByRow)
            if let failure = functions.failure { throw failure }
            guard isMatch else { continue }
            page.count += 1
            guard page.count > request.query.skip, page.count <= request.wantedCount else {
                continue
            }
            try append(objectByRow, request, startingAt: 0, to: &page.json)
        }
        return page
    }
}
