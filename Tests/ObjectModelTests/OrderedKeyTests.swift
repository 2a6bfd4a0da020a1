import HatoWire
import ObjectModel
import Testing

@Suite("OrderedKey")
struct OrderedKeyTests {
    @Test("orders random values as a naive comparison does")
    func agreesWithNaiveOrder() {
        var values = RandomValues(random: SplitMix(seed: 1))
        var equalCount = 0
        for _ in 0..<30_000 {
            let (left, right) = (values.value(), values.value())
            let (leftKey, rightKey) = (OrderedKey(left), OrderedKey(right))
            let order = NaiveOrder.order(left, right)
            if order == 0 { equalCount += 1 }
            #expect((leftKey < rightKey) == (order < 0), "\(left) \(right)")
            #expect((rightKey < leftKey) == (order > 0), "\(left) \(right)")
            #expect((leftKey == rightKey) == (order == 0), "\(left) \(right)")
            // Keys may stand behind each other: none begins another.
            if order != 0 { #expect(!leftKey.bytes.starts(with: rightKey.bytes)) }
        }
        #expect(equalCount > 500)
    }

    @Test("orders all pairs of awkward numbers exactly")
    func ordersNumbers() {
        let numbers = RandomValues.numbers.map { JSONNumber(validated: Text($0)) }
        for left in numbers {
            for right in numbers {
                let order = left.value.order(against: right.value)
                let (leftKey, rightKey) = (OrderedKey(.number(left)), OrderedKey(.number(right)))
                #expect((leftKey < rightKey) == (order < 0), "\(left.text) \(right.text)")
                #expect((leftKey == rightKey) == (order == 0), "\(left.text) \(right.text)")
            }
        }
    }

    @Test("orders the types as the rulings say")
    func ordersTypes() throws {
        let keys = try [
            "null", "-1e308", "0", "1", #""""#, #""a""#, "{}", #"{"a":1}"#, "[]", "[null]", "false",
            "true",
            #"{"__type":"Date","iso":"1970-01-01T00:00:00.000Z"}"#,
            #"{"__type":"Date","iso":"9999-12-31T23:59:59.999Z"}"#,
        ].map { OrderedKey(try value($0)) }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left < right) }
        #expect(keys[0] == OrderedKey.null)
    }

    @Test("is cut at 1,024 bytes, and says so only past them")
    func cutsLongKeys() throws {
        // One tag and two bytes of terminator.
        let whole = OrderedKey(.string(Text(String(repeating: "x", count: 1_021))))
        #expect(whole.bytes.count == 1_024 && !whole.isCut)
        let cut = OrderedKey(.string(Text(String(repeating: "x", count: 1_022))))
        #expect(cut.bytes.count == 1_024 && cut.isCut)
        let long = Value.array(Array(repeating: .string("日本語\u{0}/"), count: 10_000))
        let key = OrderedKey(long)
        #expect(key.isCut && key.bytes.count == 1_024)
        #expect(OrderedKey.whole(long).starts(with: key.bytes))
        let object = Value.object(
            (0..<500).map { ValueMember(name: Text("member\($0)"), value: .number(JSONNumber($0))) }
        )
        #expect(OrderedKey.whole(object).starts(with: OrderedKey(object).bytes))
        let escapes = Value.string(Text(String(repeating: "\"\u{0}/", count: 100_000)))
        #expect(OrderedKey.whole(escapes).starts(with: OrderedKey(escapes).bytes))
    }

    @Test("damaged bytes do not trap")
    func bearsDamage() {
        let whole = Array(
            #"{"b":[1,-2.5e3,"\u0000\"",{"__type":"Date","iso":"2020"}],"a":true}"#.utf8
        )
        for count in 0...whole.count {
            for start in 0...count { _ = OrderedKey.whole(Array(whole[..<count]).span, at: start) }
        }
        let deep = [UInt8](repeating: 0x5B, count: 10_000)
        _ = OrderedKey(canonical: deep.span)
    }
}
