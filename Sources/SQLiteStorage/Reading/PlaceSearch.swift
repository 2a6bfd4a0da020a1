import CSQLite
import HatoWire
import ObjectModel
import SQLStorage

/// A way to a filter's objects by where they are.
struct PlaceWalk: Sendable {
    enum Area: Sendable {
        case circle(GeoCircle)
        case box(GeoBox)
    }

    let index: FieldIndex
    let area: Area
    /// Whether the page's order is that of the distances from the circle's center.
    let isNearestFirst: Bool
}

/// An object that has a place in an area, and how far its nearest such place is from the center.
struct PlaceHit {
    var row: Int64
    /// Radians; 0 in a box.
    var distance: Double
}

/// Finds places by the keys of their cells.
///
/// A key has the exact coordinates, so no document is read for a place that is not in the area.
struct PlaceSearch {
    private let find: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        find = try connection.prepare(
            """
            SELECT key, row FROM field_key
            WHERE field = ?1 AND kind = 2 AND key >= ?2 AND key < ?3
            """
        )
    }

    /// Returns each object with a place in the area once, in no order; nil when there are more than
    /// `limit`: such an area is no way to find a page.
    func hits(
        in area: PlaceWalk.Area,
        of index: FieldIndex,
        upTo limit: Int
    ) throws(SQLiteFailure) -> [PlaceHit]? {
        var nearest: [Int64: Double] = [:]
        for range in PlaceSearch.ranges(area.bounds) {
            find.bind(1, index.number)
            find.bind(2, blob: range.lower)
            find.bind(3, blob: range.upper)
            while try find.step() {
                let place = find.withBytes(0) { GeoCell.place(of: $0) }
                guard let place, let distance = area.distance(to: place) else { continue }
                let row = find.integer(1)
                nearest[row] = min(nearest[row] ?? distance, distance)
                guard nearest.count <= limit else {
                    find.reset()
                    return nil
                }
            }
            find.reset()
        }
        return nearest.map { PlaceHit(row: $0.key, distance: $0.value) }
    }

    /// The ranges of all rectangles; a place in two of them is met twice, which changes nothing.
    private static func ranges(_ bounds: [GeoBounds]) -> [KeyRange] {
        bounds.flatMap {
            GeoCell.cover(
                south: $0.latitudes.lowerBound,
                west: $0.longitudes.lowerBound,
                north: $0.latitudes.upperBound,
                east: $0.longitudes.upperBound
            )
        }
    }
}

extension PlaceWalk.Area {
    var bounds: [GeoBounds] {
        switch self {
        case .circle(let circle): circle.bounds
        case .box(let box): box.bounds
        }
    }

    /// Returns how far a place is from the center; nil when it is outside.
    func distance(to place: GeoPosition) -> Double? {
        switch self {
        case .circle(let circle):
            circle.contains(place) ? circle.center.radians(to: place) : nil
        case .box(let box):
            box.contains(place) ? 0 : nil
        }
    }
}
