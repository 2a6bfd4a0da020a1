import HatoWire
import ObjectModel
import Testing

@Suite("Value")
struct ValueTests {
    @Test(
        "recognises typed objects and writes them in one form",
        arguments: [
            ("null", "null"), ("true", "true"), ("-0.50", "-0.50"), (#""a\/b""#, #""a\/b""#),
            (
                #"{"iso":"2020-09-13T12:26:40Z","__type":"Date","x":1}"#,
                #"{"__type":"Date","iso":"2020-09-13T12:26:40.000Z"}"#
            ),
            (
                #"{"__type":"GeoPoint","longitude":-180,"latitude":90.0}"#,
                #"{"__type":"GeoPoint","latitude":90.0,"longitude":-180}"#
            ),
            (
                #"{"objectId":"a1","className":"user","__type":"Pointer"}"#,
                #"{"__type":"Pointer","className":"user","objectId":"a1"}"#
            ),
            (
                #"{"__type":"Object","className":"Post","objectId":"a1","title":"x"}"#,
                #"{"__type":"Pointer","className":"Post","objectId":"a1"}"#
            ),
            (
                #"{"__type":"Relation","className":"Post"}"#,
                #"{"__type":"Relation","className":"Post"}"#
            ),
            (#"[1,{"b":[null,{"_a":"日本","":{}}]}]"#, #"[1,{"b":[null,{"_a":"日本","":{}}]}]"#),
            (
                #"{"constructor":1,"__proto__":{"x":true}}"#,
                #"{"constructor":1,"__proto__":{"x":true}}"#
            ),
        ]
    )
    func recognises(sent: String, canonical: String) throws {
        let value = try value(sent)
        #expect(text(value.canonicalBytes) == canonical)
        #expect(JSONWriter.bytes(value.json) == value.canonicalBytes)
        #expect(try Value(json: value.json, field: "field") == value)
    }

    @Test(
        "refuses what is no value, naming the field",
        arguments: [
            (#"{"__type":"Unknown"}"#, .invalidType), (#"{"__type":1}"#, .invalidType),
            (#"{"__type":null}"#, .invalidType), (#"[{"__type":"date"}]"#, .invalidType),
            (#"{"__type":"Date"}"#, .invalidType), (#"{"__type":"Date","iso":1}"#, .invalidType),
            (#"{"__type":"Date","iso":"today"}"#, .invalidFormat),
            (#"{"__type":"GeoPoint"}"#, .invalidGeoPoint),
            (#"{"__type":"GeoPoint","latitude":"1","longitude":1}"#, .invalidGeoPoint),
            (#"{"__type":"GeoPoint","latitude":90.00000001,"longitude":1}"#, .invalidGeoPoint),
            (#"{"__type":"GeoPoint","latitude":1,"longitude":-181}"#, .invalidGeoPoint),
            (#"{"__type":"Pointer","className":"Post"}"#, .invalidType),
            (#"{"__type":"Pointer","className":"Post","objectId":""}"#, .invalidType),
            (#"{"__type":"Pointer","className":"Post","objectId":"a\u0000"}"#, .invalidType),
            (#"{"__type":"Pointer","className":"Po.st","objectId":"a"}"#, .invalidType),
            (#"{"__type":"Pointer","className":{"$ne":1},"objectId":"a"}"#, .invalidType),
            (#"{"__type":"Relation","className":"1"}"#, .invalidType),
            (#"{"a":{"__op":"Increment","amount":1}}"#, .invalidType),
            (#"[{"__op":"Add","objects":[]}]"#, .invalidType),
            (#"{"a":{"$ne":1}}"#, .invalidFormat), (#"{"a":[{"b.c":1}]}"#, .invalidFormat),
            (#"{"\u0001":1}"#, .invalidFormat), (#"{"a\u007f":1}"#, .invalidFormat),
        ] as [(String, DomainError.Code)]
    )
    func refuses(sent: String, code: DomainError.Code) throws {
        let json = try JSON.parse(Text(sent))
        let error = failure { () throws(DomainError) in _ = try Value(json: json, field: "f") }
        #expect(error == DomainError(code, "f"))
    }

    @Test("takes a member name of 256 bytes, not one more")
    func limitsNames() throws {
        let name = String(repeating: "n", count: 256)
        _ = try value("{\"\(name)\":1}")
        #expect(throws: DomainError.self) { try value("{\"\(name)n\":1}") }
    }
}
