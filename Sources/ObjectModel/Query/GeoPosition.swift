import Glibc
package import HatoWire

/// A place on the earth, which is a sphere here.
package struct GeoPosition: Sendable, Hashable {
    /// Degrees, −90…90.
    package let latitude: Double
    /// Degrees, −180…180; both ends are the same meridian.
    package let longitude: Double

    /// Takes what lies on the earth; nil for any other numbers.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Takes a GeoPoint; nil for any other value.
    package init?(_ value: Value) {
        guard case .geoPoint(let latitude, let longitude) = value else { return nil }
        self.init(
            latitude: latitude.value.nearestDouble,
            longitude: longitude.value.nearestDouble
        )
    }

    /// Reads the canonical GeoPoint at `start`; nil for any other value.
    init?(canonical bytes: Span<UInt8>, at start: Int) {
        let head: StaticString = "{\"__type\":\"GeoPoint\",\"latitude\":"
        let middle: StaticString = ",\"longitude\":"
        guard CanonicalJSON.hasLiteral(head, in: bytes, at: start) else { return nil }
        let latitude = start &+ head.utf8CodeUnitCount
        let latitudeEnd = CanonicalJSON.endOfValue(bytes, from: latitude)
        guard CanonicalJSON.hasLiteral(middle, in: bytes, at: latitudeEnd) else { return nil }
        let longitude = latitudeEnd &+ middle.utf8CodeUnitCount
        let end = CanonicalJSON.endOfValue(bytes, from: longitude)
        self.init(
            latitude: NumberValue(validated: bytes.extracting(latitude..<latitudeEnd))
                .nearestDouble,
            longitude: NumberValue(validated: bytes.extracting(longitude..<end)).nearestDouble
        )
    }

    /// Returns the angle between two places seen from the earth's centre: 0…π, by haversines, which
    /// are right for near places too.
    package func radians(to other: GeoPosition) -> Double {
        let degree = Double.pi / 180
        let north = sin((other.latitude - latitude) * degree / 2)
        // The short way round: exactly 0 between the two numbers of the date line.
        let apart = abs(other.longitude - longitude)
        let east = sin(min(apart, 360 - apart) * degree / 2)
        let part = north * north + parallel * other.parallel * east * east
        return 2 * asin(min(1, part.squareRoot()))
    }

    /// The radius of the place's parallel; exactly 0 at a pole, which is one place.
    private var parallel: Double {
        abs(latitude) == 90 ? 0 : cos(latitude * Double.pi / 180)
    }
}

extension NumberValue {
    /// The number as a Double; an integer past 2^53 is rounded.
    package var nearestDouble: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        }
    }
}
