import HatoWire

/// Places on the globe as keys: near places have near keys.
///
/// Latitude and longitude are cut into 2³² steps each and their bits interleaved (Morton order), so
/// that a cell of any size is one range of keys; the exact coordinates follow, so that distances
/// need no document. Steps rise with the coordinates: what lies in a box lies in its steps.
package enum GeoCell {
    /// Cells that cover a box at most: each is a range to walk.
    static let coverLimit = 32

    /// Returns the key of a place: 8 bytes of the cell, 8 of the latitude, 8 of the longitude.
    package static func key(_ place: GeoPosition) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(24)
        append(code(step(place.latitude, of: 90), step(place.longitude, of: 180)), to: &key)
        append(place.latitude.bitPattern, to: &key)
        append(place.longitude.bitPattern, to: &key)
        return key
    }

    /// Returns the place whose key this is; nil for other bytes.
    package static func place(of key: UnsafeBufferPointer<UInt8>) -> GeoPosition? {
        guard key.count == 24 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for index in 8..<16 { words.0 = words.0 << 8 | UInt64(key[index]) }
        for index in 16..<24 { words.1 = words.1 << 8 | UInt64(key[index]) }
        return GeoPosition(
            latitude: Double(bitPattern: words.0),
            longitude: Double(bitPattern: words.1)
        )
    }

    /// Returns ranges of keys that hold every place of a box of degrees, ascending and apart.
    ///
    /// Empty when `west` is east of `east`: a box over the date line is two boxes.
    package static func cover(
        south: Double,
        west: Double,
        north: Double,
        east: Double
    ) -> [KeyRange] {
        let (low, high) = (step(south, of: 90), step(north, of: 90))
        let (left, right) = (step(west, of: 180), step(east, of: 180))
        guard low <= high, left <= right else { return [] }
        var shift: UInt64 = 0
        while !isCover((high >> shift) - (low >> shift), (right >> shift) - (left >> shift)) {
            shift += 1
        }
        var cells: [UInt64] = []
        for row in (low >> shift)...(high >> shift) {
            for column in (left >> shift)...(right >> shift) { cells.append(code(row, column)) }
        }
        cells.sort()
        var ranges: [KeyRange] = []
        var position = 0
        while position < cells.count {
            let first = cells[position]
            var last = first
            while position + 1 < cells.count, cells[position + 1] == last + 1 {
                position += 1
                last += 1
            }
            position += 1
            ranges.append(range(first, last, shift: 2 * shift))
        }
        return ranges
    }

    /// Whether so many rows and columns of cells, less one each, are few enough.
    private static func isCover(_ rows: UInt64, _ columns: UInt64) -> Bool {
        let limit = UInt64(coverLimit)
        return rows < limit && columns < limit && (rows + 1) * (columns + 1) <= limit
    }

    /// The keys of the cells `first` to `last`, whose sides are 2^(`shift`/2) steps.
    private static func range(_ first: UInt64, _ last: UInt64, shift: UInt64) -> KeyRange {
        var range = KeyRange(lower: [], includesLower: true, upper: [], includesUpper: false)
        append(first << shift, to: &range.lower)
        let (next, isLastOfAll) = (last << shift).addingReportingOverflow(1 << shift)
        if isLastOfAll || shift == 64 {
            range.upper = [UInt8](repeating: 0xFF, count: 25)
        } else {
            append(next, to: &range.upper)
        }
        return range
    }

    /// Which of 2³² steps a coordinate in −`most`…`most` is.
    private static func step(_ coordinate: Double, of most: Double) -> UInt64 {
        let part = (coordinate + most) / (2 * most) * 4_294_967_296
        guard part > 0 else { return 0 }
        return part < 4_294_967_295 ? UInt64(part) : 4_294_967_295
    }

    private static func code(_ row: UInt64, _ column: UInt64) -> UInt64 {
        spread(row) << 1 | spread(column)
    }

    /// Puts a zero bit before each of the lower 32 bits.
    private static func spread(_ value: UInt64) -> UInt64 {
        var bits = value & 0xFFFF_FFFF
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    private static func append(_ word: UInt64, to key: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            key.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }
}
