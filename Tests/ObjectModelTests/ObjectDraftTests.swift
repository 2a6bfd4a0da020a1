import HatoWire
import ObjectModel
import Testing

@Suite("ObjectDraft")
struct ObjectDraftTests {
    @Test("decodes fields, operations and the access list, and passes over the system's fields")
    func decodes() throws {
        let draft = try decode(
            #"{"objectId":"x","createDate":1,"updateDate":null,"acl":{"*":{"read":true}},"名前":"ぽ","#
                + #""n":{"__op":"Increment","amount":-2},"a":{"__op":"Add","objects":[1]},"#
                + #""u":{"__op":"AddUnique","objects":[]},"r":{"__op":"Remove","objects":[{"x":1}]},"z":null}"#
        )
        #expect(draft.changes.map(\.name) == ["名前", "n", "a", "u", "r", "z"])
        #expect(draft.acl?.isPublicRead == true)
        let one = Value.number(JSONNumber(1))
        let expected: [FieldOperation] = [
            .set(.string("ぽ")), .increment(JSONNumber(-2)), .add([one]), .addUnique([]),
            .remove([.object([ValueMember(name: "x", value: one)])]), .set(.null),
        ]
        #expect(draft.changes.map(\.operation) == expected)
        #expect(try decode(#"{"acl":null}"#).acl == nil)
        #expect(try decode("{}").changes.isEmpty)
    }

    @Test(
        "refuses bodies with the code and subject that clients see",
        arguments: [
            ("", .malformedJSON, ""), ("[]", .malformedJSON, ""), ("null", .malformedJSON, ""),
            ("{\"a\":1,\"a\":2}", .malformedJSON, ""), ("{} x", .malformedJSON, ""),
            (#"{"_id":1}"#, .invalidFormat, "_id"), (#"{"$set":1}"#, .invalidFormat, "$set"),
            (#"{"a.b":1}"#, .invalidFormat, "a.b"), (#"{"":1}"#, .invalidFormat, ""),
            (#"{"__type":"Object"}"#, .invalidFormat, "__type"),
            (#"{"acl":[]}"#, .invalidType, "acl"), (#"{"acl":{"*":1}}"#, .invalidType, "acl"),
            (#"{"n":{"__op":"Increment"}}"#, .invalidType, "n"),
            (#"{"n":{"__op":"Increment","amount":"1"}}"#, .invalidType, "n"),
            (#"{"n":{"__op":"Add"}}"#, .invalidType, "n"),
            (#"{"n":{"__op":"Add","objects":{}}}"#, .invalidType, "n"),
            (#"{"n":{"__op":"Delete"}}"#, .invalidType, "n"),
            (#"{"n":{"__op":"AddRelation","objects":[]}}"#, .invalidType, "n"),
            (#"{"n":{"__op":"RemoveRelation","objects":[]}}"#, .invalidType, "n"),
            (#"{"n":{"__op":null}}"#, .invalidType, "n"),
            (#"{"n":{"__op":{"a":1}}}"#, .invalidType, "n"),
            (#"{"n":{"__op":"Add","objects":[{"$x":1}]}}"#, .invalidFormat, "n"),
            (#"{"p":{"__type":"GeoPoint","latitude":91,"longitude":0}}"#, .invalidGeoPoint, "p"),
        ] as [(String, DomainError.Code, Text)]
    )
    func refuses(body: String, code: DomainError.Code, subject: Text) {
        let error = failure { () throws(DomainError) in
            _ = try ObjectDraft.decode(body: Array(body.utf8))
        }
        #expect(
            error?.code == code && error?.subject == subject,
            "\(body): \(String(describing: error))"
        )
    }

    @Test("holds each limit, and refuses one past it")
    func holdsLimits() throws {
        let fields = { (count: Int) in
            "{\"objectId\":\"a\",\"acl\":null,"
                + (0..<count).map { "\"f\($0)\":1" }.joined(separator: ",")
                + "}"
        }
        #expect(try decode(fields(1_000)).changes.count == 1_000)
        #expect(code(fields(1_001)) == .documentTooLarge)
        #expect(code(fields(1_003)) == .documentTooLarge)
        let nested = { (depth: Int) in
            "{\"a\":" + String(repeating: "[", count: depth - 1)
                + String(repeating: "]", count: depth - 1)
                + "}"
        }
        #expect(code(nested(32)) == nil)
        #expect(code(nested(33)) == .malformedJSON)
        let name = String(repeating: "名", count: 85) + "x"
        #expect(code("{\"\(name)\":1}") == nil)
        #expect(code("{\"\(name)y\":1}") == .invalidFormat)
    }

    @Test("refuses by its length, unparsed, a body that no document can come from")
    func limitsBody() {
        #expect(DocumentLimits().bodyBytes == 4_194_304)
        #expect(DocumentLimits(documentBytes: .max).bodyBytes == .max)
        let small = DocumentLimits(bodyBytes: 8)
        #expect(code("{\"a\":11}", small) == nil)
        #expect(code("{\"a\":111}", small) == .documentTooLarge)
        #expect(code("no JSON at all", small) == .documentTooLarge)
    }

    @Test("refuses more values and names than a document has room for, not one fewer")
    func limitsValues() {
        // 10,000 and half of 100: the object, its one name, its array, and the array's elements.
        let limits = DocumentLimits(documentBytes: 100, bodyBytes: 1_000_000)
        let body = { (count: Int) in
            "{\"a\":[" + Array(repeating: "1", count: count).joined(separator: ",") + "]}"
        }
        #expect(code(body(10_047), limits) == nil)
        #expect(code(body(10_048), limits) == .documentTooLarge)
    }

    @Test("takes as many entries of an access list as its limits say")
    func limitsAccessList() {
        let limits = DocumentLimits(aclEntries: 2)
        #expect(code(#"{"acl":{"a":{"read":true},"b":{"read":true}}}"#, limits) == nil)
        let three = #"{"acl":{"a":{"read":true},"b":{"read":true},"c":{"write":true}}}"#
        #expect(code(three, limits) == .invalidValue)
        #expect(code(three) == nil)
    }

    private func code(
        _ body: String,
        _ limits: DocumentLimits = DocumentLimits()
    ) -> DomainError.Code? {
        failure { () throws(DomainError) in
            _ = try ObjectDraft.decode(body: Array(body.utf8), limits: limits)
        }?.code
    }

    private func decode(_ body: String) throws -> ObjectDraft {
        try ObjectDraft.decode(body: Array(body.utf8))
    }
}
