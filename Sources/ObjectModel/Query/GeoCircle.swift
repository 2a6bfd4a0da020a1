/// All places up to a distance from one.
package struct GeoCircle: Sendable, Hashable {
    package let center: GeoPosition
    /// The greatest angle from the center, included; nil: everywhere.
    package let radiusRadians: Double?

    package static let earthRadiusKilometers = 6_378.1
    package static let earthRadiusMiles = 3_963.2

    /// Takes a radius that is a number and not negative; nil for any other.
    package init?(center: GeoPosition, radiusRadians: Double? = nil) {
        if let radiusRadians {
            guard radiusRadians >= 0, radiusRadians.isFinite else { return nil }
        }
        self.center = center
        self.radiusRadians = radiusRadians
    }

    /// Whether the place lies in the circle.
    package func contains(_ place: GeoPosition) -> Bool {
        guard let radiusRadians else { return true }
        // Most places of a scan are out by their latitude alone.
        let north = abs(place.latitude - center.latitude) * (Double.pi / 180)
        guard north <= radiusRadians + 1e-9 else { return false }
        return center.radians(to: place) <= radiusRadians
    }
}
