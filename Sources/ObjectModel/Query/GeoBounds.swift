import Glibc

/// A rectangle of plain degrees that does not pass over the date line: what a spatial index looks
/// places up in.
///
/// Together the rectangles of a circle or a box hold every place in it, and some more: a margin makes
/// up for rounding, here and in an index that keeps coordinates with fewer bits. The place itself has to be asked.
package struct GeoBounds: Sendable, Hashable {
    package let latitudes: ClosedRange<Double>
    package let longitudes: ClosedRange<Double>

    /// Degrees, some 11 m: more than 32-bit floating-point numbers near 180 are apart, the coarsest
    /// that an index may keep.
    package static let margin = 1e-4

    /// Whether an index entry at these degrees is found.
    package func contains(latitude: Double, longitude: Double) -> Bool {
        latitudes.contains(latitude) && longitudes.contains(longitude)
    }

    /// Returns rectangles for latitudes and longitudes of which `west` may be greater than `east`:
    /// two when they pass over the date line, more where they touch it or a pole, whose places may
    /// have been written with other longitudes.
    fileprivate static func around(
        south: Double,
        north: Double,
        west: Double,
        east: Double
    ) -> [GeoBounds] {
        let passesDateLine = west > east
        let (south, north) = (south - margin, north + margin)
        let (west, east) = (west - margin, east + margin)
        let latitudes = south...north
        let allLongitudes = (-180 - margin)...(180 + margin)
        let longitudes: [ClosedRange<Double>]
        if !passesDateLine {
            var ranges = [west...east]
            if east >= 180 { ranges.append((-180 - margin)...(-180 + margin)) }
            if west <= -180 { ranges.append((180 - margin)...(180 + margin)) }
            longitudes = east - west < 360 ? ranges : [allLongitudes]
        } else if west > east {
            longitudes = [west...(180 + margin), (-180 - margin)...east]
        } else {
            // What is left out is narrower than the margins.
            longitudes = [allLongitudes]
        }
        var bounds = longitudes.map { GeoBounds(latitudes: latitudes, longitudes: $0) }
        if north >= 90 { bounds.append(band(90...90)) }
        if south <= -90 { bounds.append(band(-90 ... -90)) }
        return bounds
    }

    /// All longitudes.
    fileprivate static func band(_ latitudes: ClosedRange<Double>) -> GeoBounds {
        GeoBounds(
            latitudes: (latitudes.lowerBound - margin)...(latitudes.upperBound + margin),
            longitudes: (-180 - margin)...(180 + margin)
        )
    }
}

extension GeoCircle {
    /// Rectangles that hold the circle: one; two over the date line; all longitudes near a pole.
    package var bounds: [GeoBounds] {
        guard let radiusRadians, radiusRadians < Double.pi else {
            return [GeoBounds.band(-90...90)]
        }
        let radius = radiusRadians * 180 / Double.pi
        let south = max(-90, center.latitude - radius)
        let north = min(90, center.latitude + radius)
        // With the margin, so that the width below is never asked for too near a pole.
        guard south - GeoBounds.margin > -90, north + GeoBounds.margin < 90 else {
            return [GeoBounds.band(south...north)]
        }
        // The circle is widest where its edge runs along a meridian, not at its center's latitude.
        let ratio = sin(radiusRadians) / cos(center.latitude * Double.pi / 180)
        let width = asin(min(1, ratio)) * 180 / Double.pi
        var (west, east) = (center.longitude - width, center.longitude + width)
        if west < -180 { west += 360 }
        if east > 180 { east -= 360 }
        return GeoBounds.around(south: south, north: north, west: west, east: east)
    }
}

extension GeoBox {
    /// Rectangles that hold the box: one; two over the date line; and one along each pole that it
    /// touches.
    package var bounds: [GeoBounds] {
        GeoBounds.around(
            south: southWest.latitude,
            north: northEast.latitude,
            west: southWest.longitude,
            east: northEast.longitude
        )
    }
}
