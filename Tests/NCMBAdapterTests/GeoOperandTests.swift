import HatoWire
import ObjectModel
import Testing

@testable import NCMBAdapter

@Suite("Places in a where")
struct GeoOperandTests {
    private static let place = #"{"__type":"GeoPoint","latitude":35.5,"longitude":139.75}"#

    private static func filter(_ condition: String) throws -> FieldOperator? {
        let parser = WhereParser(className: try ClassName(dataStore: "Shop"))
        let filter = try parser.parse(Array("{\"loc\":\(condition)}".utf8))
        guard case .all(let parts) = filter, parts.count == 1,
            case .field(_, let fieldOperator) = parts[0]
        else { return nil }
        return fieldOperator
    }

    @Test(
        "reads a circle in each unit, the radius before or behind its center",
        arguments: [
            (#""$maxDistanceInKilometers":6378.1"#, 1.0), (#""$maxDistanceInMiles":3963.2"#, 1),
            (#""$maxDistanceInRadians":1"#, 1), (#""$maxDistanceInKilometers":0"#, 0),
            (#""$maxDistanceInRadians":100"#, 100),
            (#""$maxDistanceInKilometers":12756.2"#, 2),
        ]
    )
    func circles(radius: String, radians: Double) throws {
        for condition in [
            "{\"$nearSphere\":\(Self.place),\(radius)}",
            "{\(radius),\"$nearSphere\":\(Self.place)}",
        ] {
            guard case .near(let circle)? = try Self.filter(condition) else {
                return #expect(Bool(false))
            }
            #expect(circle.center == GeoPosition(latitude: 35.5, longitude: 139.75))
            #expect(circle.radiusRadians == radians)
        }
    }

    @Test("a circle without a radius is everywhere")
    func unbounded() throws {
        guard case .near(let circle)? = try Self.filter("{\"$nearSphere\":\(Self.place)}") else {
            return #expect(Bool(false))
        }
        #expect(circle.radiusRadians == nil)
    }

    @Test("reads a box by its corners, over the date line too")
    func boxes() throws {
        let corner = { (latitude: Int, longitude: Int) in
            "{\"__type\":\"GeoPoint\",\"latitude\":\(latitude),\"longitude\":\(longitude)}"
        }
        for (west, east) in [(139, 140), (179, -179), (-180, 180)] {
            let condition = "{\"$within\":{\"$box\":[\(corner(-90, west)),\(corner(90, east))]}}"
            guard case .within(let box)? = try Self.filter(condition) else {
                return #expect(Bool(false))
            }
            #expect(box.southWest == GeoPosition(latitude: -90, longitude: Double(west)))
            #expect(box.northEast == GeoPosition(latitude: 90, longitude: Double(east)))
        }
        #expect(throws: DomainError(.invalidValue, "loc")) {
            _ = try Self.filter("{\"$within\":{\"$box\":[\(corner(2, 0)),\(corner(1, 1))]}}")
        }
    }

    @Test(
        "places off the earth and radii that are none are bad values",
        arguments: [
            (#"{"$nearSphere":{"__type":"GeoPoint","latitude":90.01,"longitude":0}}"#, "loc"),
            (#"{"$nearSphere":{"__type":"GeoPoint","latitude":0,"longitude":-180.01}}"#, "loc"),
            (#"{"$nearSphere":{"__type":"GeoPoint","latitude":"0","longitude":0}}"#, "loc"),
            (
                #"{"$within":{"$box":[{"__type":"GeoPoint","latitude":0,"longitude":0},{"__type":"GeoPoint","latitude":91,"longitude":0}]}}"#,
                "loc"
            ),
            (
                #"{"$nearSphere":{"__type":"GeoPoint","latitude":0,"longitude":0},"$maxDistanceInMiles":-1}"#,
                "$maxDistanceInMiles"
            ),
            (
                #"{"$nearSphere":{"__type":"GeoPoint","latitude":0,"longitude":0},"$maxDistanceInMiles":1,"$maxDistanceInRadians":1}"#,
                "$maxDistanceInRadians"
            ),
            (
                #"{"$nearSphere":{"__type":"GeoPoint","latitude":0,"longitude":0},"$minDistance":1}"#,
                "$minDistance"
            ),
        ]
    )
    func badValues(condition: String, subject: Text) {
        #expect(throws: DomainError(.invalidValue, subject)) { _ = try Self.filter(condition) }
    }

    @Test("a radius is a number")
    func radiusType() {
        for radius in ["\"5\"", "null", "[5]"] {
            #expect(throws: DomainError(.invalidType, "loc")) {
                _ = try Self.filter(
                    "{\"$nearSphere\":\(Self.place),\"$maxDistanceInKilometers\":\(radius)}"
                )
            }
        }
    }
}
