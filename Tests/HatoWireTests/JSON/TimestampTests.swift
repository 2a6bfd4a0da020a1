import Foundation
import HatoWire
import Testing

@Suite("Timestamp")
struct TimestampTests {
    @Test(
        "formats and reads what NCMB sends",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_377_658_949_970, "2013-08-28T03:02:29.970Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func formats(milliseconds: Int64, text: String) {
        let timestamp = Timestamp(millisecondsSinceEpoch: milliseconds)
        #expect(timestamp.text.string == text)
        #expect(Timestamp(iso: Text(text)) == timestamp)
    }

    @Test("writes years that no parser takes with their sign and all their digits")
    func farYears() {
        for (milliseconds, text) in [
            (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "-1-12-31T23:59:59.999Z"),
            (Int64.max, "292278994-08-17T07:12:55.807Z"),
            (Int64.min, "-292275055-05-16T16:47:04.192Z"),
        ] as [(Int64, String)] {
            #expect(Timestamp(millisecondsSinceEpoch: milliseconds).text.string == text)
        }
    }

    @Test("takes none to nine decimals, cut to milliseconds")
    func takesDecimals() {
        let base = Timestamp(iso: "2020-01-01T00:00:00Z")?.millisecondsSinceEpoch
        for (fraction, expected) in [
            ("", 0), (".1", 100), (".12", 120), (".123", 123), (".1239", 123), (".999999999", 999),
        ] as [(String, Int64)] {
            let timestamp = Timestamp(iso: Text("2020-01-01T00:00:00\(fraction)Z"))
            #expect(timestamp?.millisecondsSinceEpoch == base.map { $0 + expected })
        }
    }

    @Test(
        "refuses every other text",
        arguments: [
            "", "2020", "2020-01-01", "2020-01-01T00:00:00", "2020-01-01T00:00:00.000",
            "2020-01-01T00:00:00.000+09:00", "2020-01-01T00:00:00.Z",
            "2020-01-01T00:00:00.0000000000Z",
            "2020-13-01T00:00:00.000Z", "2020-00-01T00:00:00.000Z", "2020-01-00T00:00:00.000Z",
            "2021-02-29T00:00:00.000Z", "1900-02-29T00:00:00.000Z", "2020-04-31T00:00:00.000Z",
            "2020-01-01T24:00:00.000Z", "2020-01-01T00:60:00.000Z", "2020-01-01T00:00:60.000Z",
            "2020-01-01 00:00:00.000Z", "2020-01-01T00:00:00,000Z", "2020-01-01T00:00:00.00xZ",
            "２020-01-01T00:00:00Z", "-020-01-01T00:00:00.000Z", "2020-01-01T00:00:00.000Z ",
            "20200-01-01T00:00:00.000Z", "2020-01-01T00:00:00.000ZZ",
        ]
    )
    func refuses(text: String) {
        #expect(Timestamp(iso: Text(text)) == nil)
    }

    @Test("agrees with Foundation's calendar")
    func agreesWithFoundation() {
        var random = SplitMix(seed: 5)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<3_000 {
            // Whole seconds: Foundation's Date is a Double and cuts milliseconds.
            let seconds = Int64(random.below(250_000_000_000)) - 50_000_000_000
            let timestamp = Timestamp(millisecondsSinceEpoch: seconds * 1_000)
            let theirs = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
            #expect(timestamp.text.string == theirs || seconds < -12_219_292_800)
            #expect(Timestamp(iso: timestamp.text) == timestamp)
        }
    }

    @Test("never traps at the ends of int64", arguments: [Int64.min, Int64.max])
    func bearsExtremes(milliseconds: Int64) {
        #expect(Timestamp(millisecondsSinceEpoch: milliseconds).text.utf8.last == 0x5A)
    }
}
