import HatoWire
import ObjectModel

/// Reads the operands of `$nearSphere` and `$within` (ncmb-rest §10).
enum GeoOperand {
    private static let distances: [Text] = [
        "$maxDistanceInKilometers", "$maxDistanceInMiles", "$maxDistanceInRadians",
    ]

    /// Whether the name is of a radius, which stands beside its `$nearSphere`.
    static func isDistance(_ name: Text) -> Bool { distances.contains(name) }

    /// Reads a center and the radius beside it; at most one unit may be named.
    ///
    /// Errors: `invalidType` with the field's name for what is no GeoPoint or number; `invalidValue`
    /// with it for places off the earth, with the radius' name for one that is negative or the second.
    static func circle(
        _ center: JSON,
        _ siblings: JSONObject,
        _ field: Text
    ) throws(DomainError) -> GeoCircle {
        let center = try position(center, field)
        var radius: Double?
        for member in siblings.members where isDistance(member.name) {
            guard case .number(let number) = member.value else {
                throw DomainError(.invalidType, field)
            }
            guard radius == nil else { throw DomainError(.invalidValue, member.name) }
            radius = number.value.nearestDouble / earthRadius(in: member.name)
            guard let radius, radius >= 0 else { throw DomainError(.invalidValue, member.name) }
        }
        guard let circle = GeoCircle(center: center, radiusRadians: radius) else {
            throw DomainError(.invalidValue, field)
        }
        return circle
    }

    /// Reads `{"$box":[southWest, northEast]}`.
    ///
    /// Errors: as `circle`; `invalidValue` with the field's name also for a box that is upside down, and
    /// with the name of any other member.
    static func box(_ json: JSON, _ field: Text) throws(DomainError) -> GeoBox {
        guard case .object(let object) = json else { throw DomainError(.invalidType, field) }
        for member in object.members where member.name != "$box" {
            throw WhereParser.unknown(member.name)
        }
        guard case .array(let corners)? = object["$box"], corners.count == 2 else {
            throw DomainError(.invalidType, field)
        }
        let southWest = try position(corners[0], field)
        let northEast = try position(corners[1], field)
        guard let box = GeoBox(southWest: southWest, northEast: northEast) else {
            throw DomainError(.invalidValue, field)
        }
        return box
    }

    private static func position(_ json: JSON, _ field: Text) throws(DomainError) -> GeoPosition {
        let value: Value
        do throws(DomainError) {
            value = try Value(json: json, field: field)
        } catch {
            // A place that can't be stored is refused as forbidden (E403006); one that is only asked
            // for is a bad value.
            throw error.code == .invalidGeoPoint ? DomainError(.invalidValue, field) : error
        }
        guard let position = GeoPosition(value) else { throw DomainError(.invalidType, field) }
        return position
    }

    /// The earth's radius in the distance's unit.
    private static func earthRadius(in distance: Text) -> Double {
        switch distance {
        case "$maxDistanceInKilometers": GeoCircle.earthRadiusKilometers
        case "$maxDistanceInMiles": GeoCircle.earthRadiusMiles
        default: 1
        }
    }
}
