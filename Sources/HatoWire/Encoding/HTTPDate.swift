/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 5.6.7).
package enum HTTPDate {
    /// Bytes of a date.
    package static let byteCount = 29

    /// The years that the format's four digits can say, as seconds since the epoch.
    private static let sayableSeconds: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Appends the date of a moment in seconds since 1970-01-01T00:00:00Z, years 0 to 9999; a moment
    /// outside is taken to the nearer end.
    package static func append(secondsSinceEpoch: Int64, to output: inout [UInt8]) {
        let range = sayableSeconds
        let seconds = min(max(secondsSinceEpoch, range.lowerBound), range.upperBound)
        var days = seconds / 86_400
        var second = seconds % 86_400
        if second < 0 {
            second += 86_400
            days -= 1
        }
        let date = CivilDate(daysSinceEpoch: Int(days))
        // 1970-01-01 was a Thursday.
        let weekday = Int(((days + 4) % 7 + 7) % 7)
        append("SunMonTueWedThuFriSat", weekday, to: &output)
        output.append(literal: ", ")
        append(date.day, digitCount: 2, to: &output)
        output.append(HTTPByte.space)
        append("JanFebMarAprMayJunJulAugSepOctNovDec", date.month - 1, to: &output)
        output.append(HTTPByte.space)
        append(date.year, digitCount: 4, to: &output)
        output.append(HTTPByte.space)
        append(Int(second / 3_600), digitCount: 2, to: &output)
        output.append(HTTPByte.colon)
        append(Int(second / 60 % 60), digitCount: 2, to: &output)
        output.append(HTTPByte.colon)
        append(Int(second % 60), digitCount: 2, to: &output)
        output.append(literal: " GMT")
    }

    /// Returns the date as text.
    package static func text(secondsSinceEpoch: Int64) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(byteCount)
        append(secondsSinceEpoch: secondsSinceEpoch, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the three letters at `index` of a row of abbreviations.
    private static func append(_ row: StaticString, _ index: Int, to output: inout [UInt8]) {
        for position in index * 3..<index * 3 + 3 { output.append(row.utf8Start[position]) }
    }

    private static func append(_ value: Int, digitCount: Int, to output: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digitCount { divisor *= 10 }
        while divisor > 0 {
            output.append(UInt8(0x30 + value / divisor % 10))
            divisor /= 10
        }
    }
}
