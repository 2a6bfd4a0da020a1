import HatoWire
import ObjectModel
import Testing

@Suite("ObjectID")
struct ObjectIDTests {
    @Test("draws sixteen letters and digits that rise with time")
    func rises() {
        var random = SplitMix(seed: 9)
        var last = ObjectID.draw(at: Timestamp(millisecondsSinceEpoch: 0), using: &random)
        var time: Int64 = 1_700_000_000_000
        for _ in 0..<2_000 {
            time += 1 + Int64(random.below(100_000))
            let id = ObjectID.draw(at: Timestamp(millisecondsSinceEpoch: time), using: &random)
            #expect(id.utf8.count == 16 && ObjectID.isValid(id))
            #expect(last < id)
            last = id
        }
    }

    @Test(
        "of one millisecond differ in nine characters",
        arguments: [0, 1_764_470_000_000, -5, Int64.min, Int64.max]
    )
    func differs(milliseconds: Int64) {
        var random = SplitMix(seed: 2)
        let moment = Timestamp(millisecondsSinceEpoch: milliseconds)
        let ids = (0..<1_000).map { _ in ObjectID.draw(at: moment, using: &random) }
        #expect(Set(ids).count == ids.count)
        #expect(Set(ids.map { $0.string.prefix(7) }).count == 1)
        #expect(Set(ids.flatMap { $0.string.suffix(9) }).count == 62)
    }

    @Test("is valid from one to sixty-four letters and digits")
    func isValid() {
        #expect(ObjectID.isValid("a") && ObjectID.isValid(Text(String(repeating: "Z", count: 64))))
        for bad in ["", "a b", "a-", "日", "a\u{0}", "..", String(repeating: "Z", count: 65)] {
            #expect(!ObjectID.isValid(Text(bad)))
        }
    }
}
