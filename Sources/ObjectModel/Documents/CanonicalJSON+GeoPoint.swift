import HatoWire

extension CanonicalJSON {
    private static let latitudePrefix: StaticString = "{\"__type\":\"GeoPoint\",\"latitude\":"
    private static let longitudePrefix: StaticString = ",\"longitude\":"

    /// Returns the place when the object at `start` is a GeoPoint; canonical ones have one form.
    static func geoPoint(
        _ bytes: Span<UInt8>,
        at start: Int
    ) -> (latitude: Double, longitude: Double)? {
        guard hasLiteral(latitudePrefix, in: bytes, at: start) else { return nil }
        let latitude = start &+ latitudePrefix.utf8CodeUnitCount
        let middle = endOfValue(bytes, from: latitude)
        guard hasLiteral(longitudePrefix, in: bytes, at: middle) else { return nil }
        let longitude = middle &+ longitudePrefix.utf8CodeUnitCount
        let end = endOfValue(bytes, from: longitude)
        guard end < bytes.count, bytes[end] == 0x7D else { return nil }
        return (
            degrees(bytes.extracting(latitude..<middle)), degrees(bytes.extracting(longitude..<end))
        )
    }

    private static func degrees(_ bytes: Span<UInt8>) -> Double {
        switch NumberValue(validated: bytes) {
        case .integer(let value): Double(value)
        case .double(let value): value
        }
    }
}
