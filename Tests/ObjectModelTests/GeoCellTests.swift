import HatoTesting
import HatoWire
import Testing

@testable import ObjectModel

@Suite("Keys of places")
struct GeoCellTests {
    private func place(_ latitude: Double, _ longitude: Double) throws -> GeoPosition {
        try #require(GeoPosition(latitude: latitude, longitude: longitude))
    }

    @Test("a key gives its place back, bit for bit")
    func roundTrip() throws {
        for (latitude, longitude) in [
            (0.0, 0.0), (90, 180), (-90, -180), (35.681_236, 139.767_125), (-0.0, 1e-300),
        ] {
            let place = try place(latitude, longitude)
            let back = GeoCell.key(place).withUnsafeBufferPointer { GeoCell.place(of: $0) }
            #expect(back == place)
        }
        let short: [UInt8] = [1, 2, 3]
        #expect(short.withUnsafeBufferPointer { GeoCell.place(of: $0) } == nil)
    }

    @Test(
        "the cover of a box holds every place in it, in few ranges that are apart",
        arguments: 0..<50
    )
    func covers(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sizes: [Double] = [1e-7, 0.001, 0.1, 3, 60, 180]
        let size = sizes.randomElement(using: &generator) ?? 1
        let south = Double.random(in: -90...90, using: &generator)
        let west = Double.random(in: -180...180, using: &generator)
        let north = min(90, south + size)
        let east = min(180, west + 2 * size)
        let ranges = GeoCell.cover(south: south, west: west, north: north, east: east)
        #expect((1...GeoCell.coverLimit).contains(ranges.count))
        for (left, right) in zip(ranges, ranges.dropFirst()) {
            #expect(left.upper.lexicographicallyPrecedes(right.lower))
        }
        for _ in 0..<200 {
            let key = GeoCell.key(
                try place(
                    .random(in: south...north, using: &generator),
                    .random(in: west...east, using: &generator)
                )
            )
            #expect(ranges.contains { $0.lower <= key && key < $0.upper })
        }
        for (latitude, longitude) in [(south, west), (north, east), (south, east), (north, west)] {
            let key = GeoCell.key(try place(latitude, longitude))
            #expect(ranges.contains { $0.lower <= key && key < $0.upper })
        }
    }

    @Test("a cover is not much larger than its box")
    func coversLittle() throws {
        let ranges = GeoCell.cover(south: 35.6, west: 139.6, north: 35.7, east: 139.7)
        let far = GeoCell.key(try place(35.9, 139.65))
        let other = GeoCell.key(try place(35.65, 139.9))
        for key in [far, other] {
            #expect(!ranges.contains { $0.lower <= key && key < $0.upper })
        }
        #expect(GeoCell.cover(south: 1, west: 2, north: 0, east: 3).isEmpty)
        let world = GeoCell.cover(south: -91, west: -181, north: 91, east: 181)
        #expect(world.count == 1)
    }
}

extension [UInt8] {
    fileprivate static func <= (left: [UInt8], right: [UInt8]) -> Bool {
        !right.lexicographicallyPrecedes(left)
    }

    fileprivate static func < (left: [UInt8], right: [UInt8]) -> Bool {
        left.lexicographicallyPrecedes(right)
    }
}
