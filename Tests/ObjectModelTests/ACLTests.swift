import HatoWire
import ObjectModel
import Testing

@Suite("ACL")
struct ACLTests {
    @Test(
        "becomes canonical: sorted, without what grants nothing",
        arguments: [
            ("{}", "{}"),
            (#"{"*":{"read":false,"write":false}}"#, "{}"),
            (#"{"U1":{}}"#, "{}"),
            (
                #"{"U1":{"write":true,"read":true},"*":{"read":true,"write":false}}"#,
                #"{"*":{"read":true},"U1":{"read":true,"write":true}}"#
            ),
            (
                #"{"role:Admin\/日本":{"write":true},"a":{"read":true},"B":{"read":true}}"#,
                #"{"B":{"read":true},"a":{"read":true},"role:Admin\/日本":{"write":true}}"#
            ),
        ]
    )
    func normalises(sent: String, canonical: String) throws {
        let acl = try ACL(json: try JSON.parse(Text(sent)))
        #expect(text(acl.json) == canonical)
        #expect(ACL(acl.entries) == acl)
    }

    @Test(
        "refuses every other shape",
        arguments: [
            "[]", "null", "true", "\"*\"", #"{"*":true}"#, #"{"*":{"read":1}}"#,
            #"{"*":{"read":null}}"#,
            #"{"*":{"delete":true}}"#, #"{"":{"read":true}}"#, #"{"a b":{"read":true}}"#,
            #"{"**":{"read":true}}"#, #"{"role:":{"read":true}}"#, #"{"Role:x":{"read":true}}"#,
            #"{"role:\u0001":{"read":true}}"#, #"{"日本":{"read":true}}"#, #"{"a/b":{"read":true}}"#,
        ]
    )
    func refuses(sent: String) throws {
        let json = try JSON.parse(Text(sent))
        let error = failure { () throws(DomainError) in _ = try ACL(json: json) }
        #expect(error == DomainError(.invalidType, "acl"))
    }

    @Test("takes a hundred entries, not one more")
    func limitsEntries() throws {
        let json = { (count: Int) in
            let entries = (0..<count).map { "\"u\($0)\":{\"read\":true}" }.joined(separator: ",")
            return try JSON.parse(Text("{\(entries)}"))
        }
        #expect(try ACL(json: json(100)).entries.count == 100)
        let past = try json(101)
        #expect(
            failure { () throws(DomainError) in _ = try ACL(json: past) }
                == DomainError(.invalidValue, "acl")
        )
        let longID = String(repeating: "x", count: 64)
        #expect(
            try ACL(json: JSON.parse(Text("{\"\(longID)\":{\"read\":true}}"))).readKeys.count == 1
        )
        #expect(throws: DomainError.self) {
            try ACL(json: JSON.parse(Text("{\"\(longID)x\":{\"read\":true}}")))
        }
    }

    @Test("grants exactly what its entries say")
    func grants() {
        let acl = ACL([
            ACL.Entry(key: "*", mayRead: true, mayWrite: false),
            ACL.Entry(key: "U1", mayRead: true, mayWrite: true),
            ACL.Entry(key: "U2", mayRead: false, mayWrite: true),
            ACL.Entry(key: "role:a/\"b\\", mayRead: false, mayWrite: true),
        ])
        #expect(acl.isPublicRead)
        #expect(acl.grantsRead(toAnyOf: ["*"]) && !acl.grantsWrite(toAnyOf: ["*"]))
        #expect(acl.grantsWrite(toAnyOf: ["*", "U1"]))
        #expect(acl.grantsWrite(toAnyOf: ["U2"]) && !acl.grantsRead(toAnyOf: ["U2"]))
        #expect(acl.grantsWrite(toAnyOf: ["role:a/\"b\\"]))
        #expect(!acl.grantsWrite(toAnyOf: ["role:a", "U", "U11", "", "role:a/\"b\\\\"]))
        #expect(!acl.grantsRead(toAnyOf: []))
        #expect(acl.readKeys == ["*", "U1"])
        #expect(!ACL().grantsRead(toAnyOf: ["*", "U1"]))
        #expect(!ACL([ACL.Entry(key: "U1", mayRead: true, mayWrite: true)]).isPublicRead)
        #expect(ACL.everybody.grantsWrite(toAnyOf: ["*"]))
    }

    @Test("of two entries with one key the later counts")
    func laterCounts() {
        let acl = ACL([
            ACL.Entry(key: "a", mayRead: true, mayWrite: true),
            ACL.Entry(key: "a", mayRead: false, mayWrite: false),
            ACL.Entry(key: "b", mayRead: false, mayWrite: true),
            ACL.Entry(key: "b", mayRead: true, mayWrite: false),
        ])
        #expect(text(acl.json) == #"{"b":{"read":true}}"#)
    }

    @Test("damaged bytes grant nothing and do not trap")
    func bearsDamage() {
        let whole = Array(#"{"*":{"read":true,"write":true},"U1":{"read":true}}"#.utf8)
        for count in 0..<whole.count {
            let acl = ACL(canonical: Array(whole[..<count]))
            _ = acl.entries
            #expect(!acl.grantsRead(toAnyOf: ["U2"]))
        }
        for junk in ["", "{", "}", "null", "{\"", "{\"*\"", "{\"*\":", "\u{0}", "{\"\\"] {
            #expect(!ACL(canonical: Array(junk.utf8)).grantsWrite(toAnyOf: ["*"]))
        }
    }
}
