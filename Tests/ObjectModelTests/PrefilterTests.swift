import HatoWire
import Testing

@testable import ObjectModel

@Suite("Prefilter")
struct PrefilterTests {
    @Test("takes whole strings that every match has, as documents write them")
    func needles() throws {
        let string = { (text: Text) in FieldOperator.equal(.string(text)) }
        let one = try JSON.parse("1")
        let number = try Value(json: one, field: "f")
        for (filter, needles) in [
            (Filter.field(try FieldPath("a"), string("x/\"y")), [#""x\/\"y""#]),
            (.all([.field(try FieldPath("a.b"), string("東"))]), [#""東""#]),
            (
                .all([
                    .field(try FieldPath("a"), string("x")),
                    .field(try FieldPath("b"), string("x")),
                    .all([.field(try FieldPath("c"), string("yy"))]),
                ]),
                [#""x""#, #""yy""#]
            ),
            (.field(try FieldPath("a"), .isIn([.string("x")])), [#""x""#]),
            (.field(try FieldPath("a"), .containsAll([.string("x"), number])), [#""x""#]),
            (.field(try FieldPath("a"), .isIn([.string("x"), .string("y")])), []),
            (.field(try FieldPath("a"), .containsAny([.string("x"), .null])), []),
            (.field(try FieldPath("a"), .equal(number)), []),
            (.field(try FieldPath("a"), .equal(.null)), []),
            (.field(try FieldPath("a"), .notEqual(.string("x"))), []),
            (.field(try FieldPath("a"), .containsNone([.string("x")])), []),
            (.field(try FieldPath("a"), .isNotIn([.string("x")])), []),
            (.field(try FieldPath("a"), .less(.string("x"))), []),
            (.field(try FieldPath("a"), .equal(.date(Timestamp(millisecondsSinceEpoch: 0)))), []),
            (.any([.field(try FieldPath("a"), string("x"))]), []),
            (.field(try FieldPath("objectId"), string("x")), []),
            (.field(try FieldPath("createDate"), string("2020-01-01T00:00:00.000Z")), []),
            (.all([]), []),
        ] as [(Filter, [String])] {
            #expect(Prefilter(filter).needles == needles.map { Array($0.utf8) })
        }
    }

    @Test("finds bytes at every place of texts of every length, and only there")
    func search() throws {
        var random = SplitMix(seed: 5)
        for length in 2...20 {
            let needle = (0..<length).map { _ in UInt8(0x61 + random.below(2)) }
            let search = try #require(ByteNeedle(needle))
            #expect(search.isFound(in: needle.span) == true)
            for count in 0..<40 {
                let text = (0..<count).map { _ in UInt8(0x61 + random.below(2)) }
                #expect(search.isFound(in: text.span) == Self.contains(text, needle))
                let filler = Array(repeating: UInt8(0x7A), count: count)
                for rest in 0..<10 {
                    let behind = Array(repeating: UInt8(0x60), count: rest)
                    #expect(search.isFound(in: (filler + needle + behind).span) == true)
                    #expect(search.isFound(in: (filler + needle.dropLast() + behind).span) == false)
                }
            }
        }
        #expect(ByteNeedle([0x61]) == nil)
    }

    private static func contains(_ text: [UInt8], _ needle: [UInt8]) -> Bool {
        guard text.count >= needle.count else { return false }
        return (0...(text.count - needle.count)).contains { start in
            Array(text[start..<start + needle.count]) == needle
        }
    }
}
