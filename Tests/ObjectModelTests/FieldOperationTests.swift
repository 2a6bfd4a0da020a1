import HatoWire
import ObjectModel
import Testing

@Suite("FieldOperation")
struct FieldOperationTests {
    @Test(
        "changes a document in place, byte for byte",
        arguments: [
            ("{}", "{}", "{}"),
            ("{}", #"{"b":1.50,"a":"\/"}"#, #"{"b":1.50,"a":"\/"}"#),
            (
                #"{"a":1,"b":2.0,"c":[]}"#, #"{"d":true,"b":"x"}"#,
                #"{"a":1,"b":"x","c":[],"d":true}"#
            ),
            (#"{"a":1}"#, #"{"a":null}"#, #"{"a":null}"#),
            (#"{"a\/b":1,"名":{"x":"}"}}"#, #"{"a/b":2}"#, #"{"a\/b":2,"名":{"x":"}"}}"#),
            (#"{"q\"":1,"q":2}"#, #"{"q":3}"#, #"{"q\"":1,"q":3}"#),
            (#"{"n":1}"#, #"{"n":{"__op":"Increment","amount":2}}"#, #"{"n":3}"#),
            (#"{"n":1}"#, #"{"n":{"__op":"Increment","amount":-0.5}}"#, #"{"n":0.5}"#),
            (#"{"n":null}"#, #"{"n":{"__op":"Increment","amount":2.50}}"#, #"{"n":2.50}"#),
            ("{}", #"{"n":{"__op":"Increment","amount":2}}"#, #"{"n":2}"#),
            (
                #"{"n":9223372036854775806}"#, #"{"n":{"__op":"Increment","amount":1}}"#,
                #"{"n":9223372036854775807}"#
            ),
            ("{}", #"{"a":{"__op":"Add","objects":[1,1]}}"#, #"{"a":[1,1]}"#),
            (#"{"a":[]}"#, #"{"a":{"__op":"Add","objects":[]}}"#, #"{"a":[]}"#),
            (#"{"a":[]}"#, #"{"a":{"__op":"Add","objects":[2]}}"#, #"{"a":[2]}"#),
            (
                #"{"a":[[]],"b":1}"#, #"{"a":{"__op":"Add","objects":[[]]}}"#,
                #"{"a":[[],[]],"b":1}"#
            ),
            (
                #"{"a":[1.0,"x"]}"#, #"{"a":{"__op":"AddUnique","objects":[1,2,2.0,"x","X"]}}"#,
                #"{"a":[1.0,"x",2,"X"]}"#
            ),
            ("{}", #"{"a":{"__op":"AddUnique","objects":[3,3e0]}}"#, #"{"a":[3]}"#),
            (
                #"{"a":[1,1.0,"1",{"x":1,"y":[2]},null]}"#,
                #"{"a":{"__op":"Remove","objects":[1e0,{"y":[2.0],"x":1},null]}}"#, #"{"a":["1"]}"#
            ),
            ("{}", #"{"a":{"__op":"Remove","objects":[1]}}"#, #"{"a":[]}"#),
            (#"{"a":null}"#, #"{"a":{"__op":"Add","objects":[1]}}"#, #"{"a":[1]}"#),
            (
                #"{"a":[{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"},2]}"#,
                #"{"a":{"__op":"Remove","objects":[{"iso":"2020-01-01T00:00:00Z","__type":"Date"}]}}"#,
                #"{"a":[2]}"#
            ),
        ]
    )
    func applies(document: String, body: String, result: String) throws {
        let changes = try ObjectDraft.decode(body: Array(body.utf8)).changes
        #expect(text(try FieldOperation.apply(changes, to: Array(document.utf8))) == result)
    }

    @Test(
        "refuses operations on values of another type, and sums that overflow",
        arguments: [
            (#"{"n":"1"}"#, #"{"n":{"__op":"Increment","amount":1}}"#, .invalidType),
            (
                #"{"n":{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}}"#,
                #"{"n":{"__op":"Increment","amount":1}}"#, .invalidType
            ),
            (#"{"n":1}"#, #"{"n":{"__op":"Add","objects":[]}}"#, .invalidType),
            (#"{"n":"a"}"#, #"{"n":{"__op":"AddUnique","objects":[]}}"#, .invalidType),
            (#"{"n":{}}"#, #"{"n":{"__op":"Remove","objects":[]}}"#, .invalidType),
            (
                #"{"n":9223372036854775807}"#, #"{"n":{"__op":"Increment","amount":1}}"#,
                .invalidValue
            ),
            (
                #"{"n":-9223372036854775808}"#, #"{"n":{"__op":"Increment","amount":-1}}"#,
                .invalidValue
            ),
            (#"{"n":1.7e308}"#, #"{"n":{"__op":"Increment","amount":1.7e308}}"#, .invalidValue),
        ] as [(String, String, DomainError.Code)]
    )
    func refuses(document: String, body: String, code: DomainError.Code) throws {
        let changes = try ObjectDraft.decode(body: Array(body.utf8)).changes
        let error = failure { () throws(DomainError) in
            _ = try FieldOperation.apply(changes, to: Array(document.utf8))
        }
        #expect(error == DomainError(code, "n"))
    }

    @Test("holds the document's limits, and refuses one past them")
    func holdsLimits() throws {
        let change = FieldChange(name: "b", operation: .set(.string("xy")))
        let document = Array(#"{"a":1}"#.utf8)
        let length = try FieldOperation.apply([change], to: document).count
        #expect(throws: Never.self) {
            try FieldOperation.apply(
                [change],
                to: document,
                limits: DocumentLimits(documentBytes: length)
            )
        }
        let code = { (limits: DocumentLimits) in
            failure { () throws(DomainError) in
                _ = try FieldOperation.apply([change], to: document, limits: limits)
            }?.code
        }
        #expect(code(DocumentLimits(documentBytes: length - 1)) == .documentTooLarge)
        #expect(code(DocumentLimits(fieldCount: 2)) == nil)
        #expect(code(DocumentLimits(fieldCount: 1)) == .documentTooLarge)
    }

    @Test("damaged documents do not trap")
    func bearsDamage() throws {
        let whole = Array(#"{"a":[1,"x\"",{"y":null}],"n":12,"s":"日本"}"#.utf8)
        let changes = try ObjectDraft.decode(
            body: Array(
                #"{"a":{"__op":"AddUnique","objects":[1]},"n":{"__op":"Increment","amount":1},"s":1}"#
                    .utf8
            )
        ).changes
        for count in 0...whole.count {
            _ = try? FieldOperation.apply(changes, to: Array(whole[..<count]))
            let remove = [FieldChange(name: "a", operation: .remove([.null]))]
            _ = try? FieldOperation.apply(remove, to: Array(whole[..<count]))
        }
    }

    @Test("splices an object's JSON")
    func splices() {
        for (document, rest) in [("{}", "}"), (#"{"a":1}"#, #","a":1}"#)] {
            var output: [UInt8] = []
            ObjectJSON.append(
                id: "abc",
                created: Timestamp(millisecondsSinceEpoch: 0),
                updated: Timestamp(millisecondsSinceEpoch: 1),
                acl: .everybody,
                document: Array(document.utf8),
                to: &output
            )
            #expect(
                text(output)
                    == #"{"objectId":"abc","createDate":"1970-01-01T00:00:00.000Z","#
                    + #""updateDate":"1970-01-01T00:00:00.001Z","acl":{"*":{"read":true,"write":true}}"#
                    + rest
            )
        }
    }
}
