import Glibc
import HatoWire
import ObjectModel

/// Places on a sphere, by vectors from its centre.
enum Sphere {
    /// Returns the angle between two places in radians: that between their vectors.
    static func angle(_ left: GeoPosition, _ right: GeoPosition) -> Double {
        let (a, b) = (vector(left), vector(right))
        let cross = (
            a.y * b.z - a.z * b.y,
            a.z * b.x - a.x * b.z,
            a.x * b.y - a.y * b.x
        )
        let sine = (cross.0 * cross.0 + cross.1 * cross.1 + cross.2 * cross.2).squareRoot()
        return atan2(sine, a.x * b.x + a.y * b.y + a.z * b.z)
    }

    /// Whether the place lies between the corners, edges included; a box whose west is east of its
    /// east passes over the date line.
    ///
    /// A pole has every longitude, and the date line two.
    static func contains(_ box: GeoBox, _ place: GeoPosition) -> Bool {
        guard place.latitude >= box.southWest.latitude, place.latitude <= box.northEast.latitude
        else { return false }
        if place.latitude == 90 || place.latitude == -90 { return true }
        let (west, east) = (box.southWest.longitude, box.northEast.longitude)
        let names = abs(place.longitude) == 180 ? [-180, 180] : [place.longitude]
        return names.contains { longitude in
            west <= east
                ? west <= longitude && longitude <= east : longitude >= west || longitude <= east
        }
    }

    /// The place of a GeoPoint; nil for any other value.
    static func place(_ value: Value) -> GeoPosition? {
        guard case .geoPoint(let latitude, let longitude) = value,
            let latitude = Double(latitude.text.string),
            let longitude = Double(longitude.text.string)
        else { return nil }
        return GeoPosition(latitude: latitude, longitude: longitude)
    }

    private static func vector(_ place: GeoPosition) -> (x: Double, y: Double, z: Double) {
        let latitude = place.latitude * Double.pi / 180
        let longitude = place.longitude * Double.pi / 180
        return (
            cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)
        )
    }
}
