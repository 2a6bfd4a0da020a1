import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import Realtime

@Suite("ChangeMessage")
struct ChangeMessageTests {
    private static let everybody = ACL.everybody
    private static let readable = ACL([
        ACL.Entry(key: "*", mayRead: true, mayWrite: false),
        ACL.Entry(key: "U1", mayRead: true, mayWrite: true),
    ])
    private static let secret = ACL([ACL.Entry(key: "U1", mayRead: true, mayWrite: true)])
    private static let writable = ACL([ACL.Entry(key: "*", mayRead: false, mayWrite: true)])

    private func object(_ document: String, _ acl: ACL) -> StoredObject {
        StoredObject(
            row: 1,
            id: "OBJ1",
            created: Timestamp(millisecondsSinceEpoch: 1_377_658_949_970),
            updated: Timestamp(millisecondsSinceEpoch: 1_377_658_950_000),
            acl: acl,
            document: Array(document.utf8)
        )
    }

    private func text(
        _ relay: ClassSettings.Relay,
        before: StoredObject? = nil,
        after: StoredObject? = nil,
        in className: ClassName? = nil
    ) throws -> String? {
        let kind: Change.Kind = before == nil ? .create : after == nil ? .delete : .update
        let change = Change(
            sequence: 1,
            kind: kind,
            className: try className ?? ClassName(dataStore: "Chat"),
            settings: ClassSettings(relay: relay),
            before: before,
            after: after
        )
        var message = ChangeMessage()
        return message.text(of: change).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "tells of a create in flat mode by the string fields alone",
        arguments: [
            ("{}", ""),
            (#"{"body":"こんにちは","userId":"U1"}"#, #","body":"こんにちは","userId":"U1""#),
            (#"{"n":1,"a":["x"],"o":{"s":"t"},"t":true,"z":null,"s":"v"}"#, #","s":"v""#),
            (#"{"d":{"__type":"Date","iso":"2013-08-28T03:02:29.970Z"}}"#, ""),
            (#"{"a\"b":"c\\d\/"}"#, #","a\"b":"c\\d\/""#),
            (#"{"event":"new-message","s":"v"}"#, #","event":"new-message","s":"v""#),
            (#"{"event":"system:member_left","data":"x"}"#, #","data":"x""#),
            (#"{"event":"system:member_"}"#, ""),
            (#"{"Event":"system:member_x"}"#, #","Event":"system:member_x""#),
        ]
    )
    func flat(document: String, members: String) throws {
        let expected =
            #"{"objectId":"OBJ1","createDate":"2013-08-28T03:02:29.970Z""# + members + "}"
        #expect(try text(.flat, after: object(document, Self.everybody)) == expected)
        #expect(try text(.flat, after: object(document, Self.readable)) == expected)
    }

    @Test("says nothing in flat mode of updates and deletes")
    func flatOnlyCreates() throws {
        let object = object(#"{"a":"b"}"#, Self.everybody)
        #expect(try text(.flat, before: object, after: object) == nil)
        #expect(try text(.flat, before: object) == nil)
    }

    @Test(
        "says nothing of what a stranger may not read, in any mode",
        arguments: ClassSettings.Relay.allCases,
        [ChangeMessageTests.secret, ChangeMessageTests.writable, ACL()]
    )
    func unreadable(relay: ClassSettings.Relay, acl: ACL) throws {
        let object = object(#"{"a":"b"}"#, acl)
        #expect(try text(relay, after: object) == nil)
        #expect(try text(relay, before: object, after: object) == nil)
        #expect(try text(relay, before: object) == nil)
    }

    @Test("says nothing when the relay is off")
    func off() throws {
        let object = object(#"{"a":"b"}"#, Self.everybody)
        #expect(try text(.off, after: object) == nil)
        #expect(try text(.off, before: object, after: object) == nil)
        #expect(try text(.off, before: object) == nil)
    }

    @Test(
        "says nothing of users, roles, installations, files and pushes",
        arguments: [ClassName.user, .role, .installation, .file, .push],
        ClassSettings.Relay.allCases
    )
    func builtInClasses(className: ClassName, relay: ClassSettings.Relay) throws {
        let object = object(#"{"a":"b"}"#, Self.everybody)
        #expect(try text(relay, after: object, in: className) == nil)
        #expect(try text(relay, before: object, after: object, in: className) == nil)
    }

    private static let whole =
        #"{"objectId":"OBJ1","createDate":"2013-08-28T03:02:29.970Z","#
        + #""updateDate":"2013-08-28T03:02:30.000Z","#
        + #""acl":{"*":{"read":true},"U1":{"read":true,"write":true}},"n":2}"#

    @Test("tells of create, update and delete in events mode, of the last by the id alone")
    func events() throws {
        let old = object(#"{"n":1}"#, Self.everybody)
        let new = object(#"{"n":2}"#, Self.readable)
        #expect(try text(.events, after: new) == #"{"event":"create","data":"# + Self.whole + "}")
        #expect(
            try text(.events, before: old, after: new)
                == #"{"event":"update","data":"# + Self.whole + "}"
        )
        #expect(
            try text(.events, before: old) == #"{"event":"delete","data":{"objectId":"OBJ1"}}"#
        )
    }

    @Test("shows a stranger an object that becomes readable as created, and the reverse as deleted")
    func eventsAcrossAccess() throws {
        let open = object(#"{"n":2}"#, Self.readable)
        let closed = object(#"{"n":3,"secret":"x"}"#, Self.secret)
        #expect(
            try text(.events, before: closed, after: open)
                == #"{"event":"create","data":"# + Self.whole + "}"
        )
        #expect(
            try text(.events, before: open, after: closed)
                == #"{"event":"delete","data":{"objectId":"OBJ1"}}"#
        )
    }
}
