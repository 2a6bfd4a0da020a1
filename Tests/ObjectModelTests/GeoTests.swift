import HatoWire
import ObjectModel
import Testing

@Suite("Places")
struct GeoTests {
    @Test(
        "distances are those of a sphere, at the poles and over the date line too",
        arguments: [
            ((35.0, 139.0), (35.0, 139.0), 0.0), ((0, 0), (0, 90), 0.5), ((0, 0), (0, 180), 1),
            ((90, 0), (-90, 77), 1), ((90, 12), (90, -150), 0), ((89, 0), (89, 180), 2.0 / 180),
            ((0, 179.5), (0, -179.5), 1.0 / 180), ((10, 180), (10, -180), 0),
            ((-45, 20), (45, -160), 1),
        ] as [((Double, Double), (Double, Double), Double)]
    )
    func distances(from: (Double, Double), to: (Double, Double), turns: Double) throws {
        let (from, to) = (try place(from.0, from.1), try place(to.0, to.1))
        #expect(abs(from.radians(to: to) - turns * Double.pi) < 1e-9)
        #expect(abs(to.radians(to: from) - turns * Double.pi) < 1e-9)
    }

    @Test("Tokyo and Osaka are 397 km apart, which is 246 miles")
    func knownDistance() throws {
        let radians = try place(35.6812, 139.7671).radians(to: place(34.7025, 135.4959))
        #expect(abs(radians * GeoCircle.earthRadiusKilometers - 403.4) < 1)
        #expect(abs(radians * GeoCircle.earthRadiusMiles - 250.7) < 1)
    }

    @Test("only places on the earth are places")
    func bounds() {
        for (latitude, longitude) in [(90.0, 180.0), (-90, -180), (0, 0)] {
            #expect(GeoPosition(latitude: latitude, longitude: longitude) != nil)
        }
        for (latitude, longitude) in [
            (90.000001, 0.0), (-91, 0), (0, 180.000001), (0, -181), (.nan, 0), (0, .infinity),
        ] {
            #expect(GeoPosition(latitude: latitude, longitude: longitude) == nil)
        }
    }

    @Test("a circle has its edge, and a radius that is none is refused")
    func circles() throws {
        let center = try place(0, 0)
        let quarter = try #require(GeoCircle(center: center, radiusRadians: Double.pi / 2))
        #expect(quarter.contains(try place(90, 0)))
        #expect(quarter.contains(try place(0, -90)))
        #expect(!quarter.contains(try place(0, 90.001)))
        let point = try #require(GeoCircle(center: center, radiusRadians: 0))
        #expect(point.contains(center))
        #expect(!point.contains(try place(0, 1e-6)))
        #expect(GeoCircle(center: center)?.contains(try place(0, 180)) == true)
        for radius in [-1, -Double.leastNonzeroMagnitude, .nan, .infinity] {
            #expect(GeoCircle(center: center, radiusRadians: radius) == nil)
        }
    }

    @Test(
        "a box has its edges, passes over the date line, and knows the poles",
        arguments: [
            ((10.0, 20.0, 30.0, 40.0), (10.0, 20.0), true), ((10, 20, 30, 40), (30, 40), true),
            ((10, 20, 30, 40), (9.999, 30), false), ((10, 20, 30, 40), (20, 40.001), false),
            ((-10, 170, 10, -170), (0, 180), true), ((-10, 170, 10, -170), (0, -180), true),
            ((-10, 170, 10, -170), (0, 169), false), ((-10, 170, 10, -170), (0, 0), false),
            ((-10, 170, 10, -170), (5, -171), true), ((-10, 170, 10, 180), (0, -180), true),
            ((-10, -180, 10, -170), (0, 180), true), ((-10, 170, 10, 179), (0, 180), false),
            ((80, 10, 90, 20), (90, -130), true), ((80, 10, 89, 20), (90, 15), false),
            ((-90, 10, 0, 20), (-90, 99), true), ((0, 0, 0, 0), (0, 0), true),
            ((-90, -180, 90, 180), (12, 34), true),
        ] as [((Double, Double, Double, Double), (Double, Double), Bool)]
    )
    func boxes(
        corners: (Double, Double, Double, Double),
        point: (Double, Double),
        isInside: Bool
    ) throws {
        let box = try #require(
            GeoBox(
                southWest: place(corners.0, corners.1),
                northEast: place(corners.2, corners.3)
            )
        )
        let point = try place(point.0, point.1)
        #expect(box.contains(point) == isInside)
        if isInside {
            #expect(box.bounds.contains { $0.contains(rounded: point) })
        }
    }

    @Test("a box does not stand on its head")
    func upsideDown() throws {
        let (north, south) = (try place(10, 0), try place(9, 1))
        #expect(GeoBox(southWest: north, northEast: south) == nil)
    }

    @Test("bounds never leave out a place that is in, even as 32-bit numbers")
    func boundsHoldAll() throws {
        var random = SplitMix(seed: 77)
        var insideCount = 0
        for _ in 0..<30_000 {
            let center = try randomPlace(&random)
            let radius = radians(&random)
            let circle = try #require(GeoCircle(center: center, radiusRadians: radius))
            let other = try randomPlace(&random)
            let (south, north) =
                center.latitude <= other.latitude ? (center, other) : (other, center)
            let box = try #require(GeoBox(southWest: south, northEast: north))
            for _ in 0..<10 {
                let point = try randomPlace(&random, near: center, radius)
                if circle.contains(point) {
                    insideCount += 1
                    #expect(
                        circle.bounds.contains { $0.contains(rounded: point) },
                        "\(circle) \(point)"
                    )
                }
                if box.contains(point) {
                    #expect(box.bounds.contains { $0.contains(rounded: point) }, "\(box) \(point)")
                }
            }
        }
        #expect(insideCount > 50_000)
    }

    @Test("bounds are narrow where they can be")
    func boundsAreNarrow() throws {
        let circle = try #require(GeoCircle(center: place(35, 139), radiusRadians: 0.001))
        #expect(circle.bounds.count == 1)
        #expect(!circle.bounds[0].contains(latitude: 35.06, longitude: 139))
        #expect(!circle.bounds[0].contains(latitude: 35, longitude: 139.08))
        let overDateLine = try #require(GeoCircle(center: place(0, 179.99), radiusRadians: 0.001))
        #expect(overDateLine.bounds.count == 2)
        #expect(!overDateLine.bounds.contains { $0.contains(latitude: 0, longitude: 0) })
        let atPole = try #require(GeoCircle(center: place(89.99, 5), radiusRadians: 0.001))
        #expect(atPole.bounds.count == 1)
        #expect(atPole.bounds[0].contains(latitude: 90, longitude: -175))
        #expect(!atPole.bounds[0].contains(latitude: 89.9, longitude: 5))
        let everywhere = try #require(GeoCircle(center: place(1, 2)))
        #expect(everywhere.bounds.count == 1)
    }

    private func place(_ latitude: Double, _ longitude: Double) throws -> GeoPosition {
        try #require(GeoPosition(latitude: latitude, longitude: longitude))
    }

    /// Often at a pole, the date line or the equator.
    private func randomPlace(_ random: inout SplitMix) throws -> GeoPosition {
        let latitudes = [
            90, -90, 0, 89.9999, -89.9999, Double.random(in: -90...90, using: &random),
        ]
        let longitudes = [
            180, -180, 0, 179.9999, -179.9999, Double.random(in: -180...180, using: &random),
        ]
        return try place(
            latitudes[min(5, random.below(9))],
            longitudes[min(5, random.below(9))]
        )
    }

    /// Half of the time some radii away at most, along a meridian or a parallel or both.
    private func randomPlace(
        _ random: inout SplitMix,
        near center: GeoPosition,
        _ radius: Double
    ) throws -> GeoPosition {
        guard random.below(3) > 0 else { return try randomPlace(&random) }
        let degrees = radius * 180 / Double.pi
        let north = degrees * Double.random(in: -1...1, using: &random)
        let east = degrees * Double.random(in: -1.5...1.5, using: &random)
        var longitude = center.longitude + east
        if longitude > 180 { longitude -= 360 }
        if longitude < -180 { longitude += 360 }
        return try place(
            min(90, max(-90, center.latitude + north)),
            min(180, max(-180, longitude))
        )
    }

    private func radians(_ random: inout SplitMix) -> Double {
        let radii = [1e-7, 1e-4, 0.01, 0.5, 1.6, 3.0, Double.random(in: 0...3.2, using: &random)]
        return radii[random.below(radii.count)]
    }
}

extension GeoBounds {
    /// Whether an index finds the place that keeps it as the nearest 32-bit numbers.
    fileprivate func contains(rounded place: GeoPosition) -> Bool {
        contains(
            latitude: Double(Float(place.latitude)),
            longitude: Double(Float(place.longitude))
        )
    }
}
