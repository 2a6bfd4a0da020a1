/// A rectangle of latitudes and longitudes, edges included.
///
/// Its western edge may be the greater number: then it passes over the date line.
package struct GeoBox: Sendable, Hashable {
    package let southWest: GeoPosition
    package let northEast: GeoPosition

    /// Takes corners of which the first is not north of the second; nil for others.
    package init?(southWest: GeoPosition, northEast: GeoPosition) {
        guard southWest.latitude <= northEast.latitude else { return nil }
        self.southWest = southWest
        self.northEast = northEast
    }

    /// Whether the place lies in the box.
    ///
    /// A pole is one place, whatever longitude it was given; so is a place on the date line.
    package func contains(_ place: GeoPosition) -> Bool {
        let latitudes = southWest.latitude...northEast.latitude
        guard latitudes.contains(place.latitude) else { return false }
        if abs(place.latitude) == 90 || contains(longitude: place.longitude) { return true }
        return abs(place.longitude) == 180 && contains(longitude: -place.longitude)
    }

    var passesDateLine: Bool { southWest.longitude > northEast.longitude }

    private func contains(longitude: Double) -> Bool {
        let (west, east) = (southWest.longitude, northEast.longitude)
        return passesDateLine
            ? longitude >= west || longitude <= east : longitude >= west && longitude <= east
    }
}
