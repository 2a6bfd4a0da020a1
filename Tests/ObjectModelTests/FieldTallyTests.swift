import HatoWire
import ObjectModel
import Testing

@Suite("FieldTally")
struct FieldTallyTests {
    private func tally(_ documents: String..., limit: Int = 100) -> FieldTally {
        var tally = FieldTally(limit: limit)
        for document in documents { tally.add(Array(document.utf8).span) }
        return tally
    }

    @Test(
        "knows the type of every value as NCMB calls it",
        arguments: [
            (#""x""#, "String"), ("-1", "Number"), ("0.5", "Number"), ("true", "Boolean"),
            ("false", "Boolean"), ("null", "Null"), ("[1]", "Array"), ("{}", "Object"),
            (#"{"a":{"__type":"Date"}}"#, "Object"),
            (#"{"__type":"Date","iso":"2026-01-01T00:00:00.000Z"}"#, "Date"),
            (#"{"__type":"GeoPoint","latitude":1,"longitude":2}"#, "GeoPoint"),
            (#"{"__type":"Pointer","className":"C","objectId":"x"}"#, "Pointer"),
            (#"{"__type":"Relation","className":"C"}"#, "Relation"),
        ]
    )
    func types(value: String, type: String) {
        let fields = tally("{\"f\":\(value),\"last\":\"x\"}").fields
        #expect(fields.map(\.name) == ["f", "last"])
        #expect(fields[0].types.map(\.type.rawValue) == [type])
    }

    @Test("counts fields and their types, the most frequent first, names decoded")
    func counts() {
        let tally = tally(
            #"{"n":1,"a\"b":"x"}"#,
            #"{"n":"1"}"#,
            #"{"z":null,"n":"2","inner":{"n":1}}"#
        )
        #expect(tally.documentCount == 3)
        #expect(tally.byteCount == 18 + 9 + 34)
        let fields = tally.fields
        #expect(fields.map(\.name) == ["n", "a\"b", "inner", "z"])
        #expect(fields.map(\.count) == [3, 1, 1, 1])
        #expect(
            fields[0].types == [
                ClassReport.TypeCount(type: .string, count: 2),
                ClassReport.TypeCount(type: .number, count: 1),
            ]
        )
    }

    @Test("keeps as many names as its limit, and goes on counting those")
    func limit() {
        let tally = tally(#"{"a":1,"b":1}"#, #"{"c":1,"a":1,"b":2}"#, limit: 2)
        #expect(tally.fields.map(\.name) == ["a", "b"])
        #expect(tally.fields.map(\.count) == [2, 2])
    }

    @Test("survives damaged bytes", arguments: ["", "{", #"{"a"#, #"{"a":"#, #"{"a":?}"#, "[1]"])
    func damaged(document: String) {
        #expect(tally(document).fields.isEmpty)
    }
}
