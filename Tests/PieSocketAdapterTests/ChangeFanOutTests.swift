import HatoTesting
import HatoWire
import ObjectModel
import Realtime
import Testing

@Suite("Saved objects over sockets")
struct ChangeFanOutTests {
    private let readable = ACL([
        ACL.Entry(key: "*", mayRead: true, mayWrite: false),
        ACL.Entry(key: "U1", mayRead: true, mayWrite: true),
    ])
    private let secret = ACL([ACL.Entry(key: "U1", mayRead: true, mayWrite: true)])

    private func object(_ document: String, _ acl: ACL) -> StoredObject {
        StoredObject(
            row: 1,
            id: "OBJ1",
            created: Timestamp(millisecondsSinceEpoch: 1_796_000_201_123),
            updated: Timestamp(millisecondsSinceEpoch: 1_796_000_201_123),
            acl: acl,
            document: Array(document.utf8)
        )
    }

    private func change(
        _ relay: ClassSettings.Relay,
        before: StoredObject? = nil,
        after: StoredObject? = nil
    ) throws -> Change {
        Change(
            sequence: 1,
            kind: before == nil ? .create : after == nil ? .delete : .update,
            className: try ClassName(dataStore: "Chat"),
            settings: ClassSettings(relay: relay),
            before: before,
            after: after
        )
    }

    /// What the members of `/v3/Chat` get for these changes, on every loop the same.
    private func received(_ changes: [Change]) throws -> [String] {
        let fixture = try RelayFixture()
        let members = try fixture.sockets("Chat", count: 2)
        let outsider = try fixture.socket("Chat2")
        ChangeRelay(hub: fixture.hub).relay(changes, of: RelayFixture.application)
        try fixture.settle()
        let messages = try members.map { try $0.settle() }
        #expect(messages.allSatisfy { $0 == messages[0] })
        #expect(try outsider.settle().isEmpty)
        return messages[0].map { message in
            guard case .text(let text) = message else { return "no text" }
            return text
        }
    }

    private static let flat =
        #"{"objectId":"OBJ1","createDate":"2026-11-30T00:56:41.123Z","body":"hi","userId":"U1"}"#

    @Test("sends the demo's flat object of strings on a create, and nothing else in flat mode")
    func flat() throws {
        let object = object(#"{"body":"hi","n":1,"userId":"U1","o":{"a":"b"}}"#, readable)
        let hidden = self.object(#"{"body":"secret"}"#, secret)
        let messages = try received([
            change(.flat, after: object), change(.flat, after: hidden),
            change(.flat, before: object, after: object), change(.flat, before: object),
        ])
        #expect(messages == [Self.flat])
    }

    @Test("sends events in their order, without the content that a stranger may no longer read")
    func events() throws {
        let open = object(#"{"n":1}"#, readable)
        let closed = object(#"{"n":2}"#, secret)
        let whole =
            #"{"objectId":"OBJ1","createDate":"2026-11-30T00:56:41.123Z","#
            + #""updateDate":"2026-11-30T00:56:41.123Z","#
            + #""acl":{"*":{"read":true},"U1":{"read":true,"write":true}},"n":1}"#
        let gone = #"{"event":"delete","data":{"objectId":"OBJ1"}}"#
        let messages = try received([
            change(.events, after: closed), change(.events, before: closed, after: open),
            change(.events, before: open, after: open),
            change(.events, before: open, after: closed),
            change(.events, before: closed), change(.events, before: open),
        ])
        #expect(
            messages == [
                #"{"event":"create","data":\#(whole)}"#, #"{"event":"update","data":\#(whole)}"#,
                gone, gone,
            ]
        )
    }

    @Test("sends nothing when the relay of the class is off")
    func off() throws {
        let object = object(#"{"body":"hi"}"#, readable)
        #expect(try received([change(.off, after: object), change(.off, before: object)]).isEmpty)
    }
}
