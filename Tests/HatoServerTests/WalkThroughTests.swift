import HatoTesting
import Testing

@testable import HatoServer

/// The path that this product exists for, over real sockets.
@Suite("WalkThrough")
struct WalkThroughTests {
    @Test("signs a user in, saves a chat with an ACL, lists it, and everybody connected sees it")
    func chat() throws {
        let server = try RunningServer()
        let ann = try signUp("ann", on: server)
        let bob = try signUp("bob", on: server)
        let sockets = [try server.listener("Chat"), try server.listener("Chat", "&notify_self")]

        let annAPI = try server.client(session: ann.session)
        let saved = try annAPI.send(
            "POST",
            "/classes/Chat",
            """
            {"body":"こんにちは","userId":"\(ann.id)","displayName":"Ann",\
            "acl":{"*":{"read":true},"\(ann.id)":{"read":true,"write":true}}}
            """
        )
        #expect(saved.status == 201)
        let id = try #require(member("objectId", of: saved.text))

        let list = try server.client().send("GET", "/classes/Chat")
        #expect(list.status == 200)
        #expect(member("objectId", of: list.text) == id)
        #expect(list.text.contains("\"body\":\"こんにちは\""))

        let refused = try server.client(session: bob.session).send(
            "PUT",
            "/classes/Chat/\(id)",
            #"{"body":"x"}"#
        )
        #expect(refused.status == 403)
        #expect(refused.text == #"{"code":"E403001","error":"No access with ACL."}"#)
        #expect(try annAPI.send("PUT", "/classes/Chat/\(id)", #"{"body":"y"}"#).status == 200)

        for socket in sockets {
            guard case .text(let text) = try socket.receive() else {
                Issue.record("no text")
                return
            }
            #expect(member("objectId", of: text) == id)
            #expect(member("body", of: text) == "こんにちは")
            #expect(member("createDate", of: text)?.count == 24)
        }
    }

    @Test("keeps what it acknowledged over a stop and a start, and lets the session go on")
    func restart() throws {
        let server = try RunningServer()
        let ann = try signUp("ann", on: server)
        let saved = try server.client(session: ann.session).send(
            "POST",
            "/classes/Chat",
            #"{"body":"kept"}"#
        )
        let id = try #require(member("objectId", of: saved.text))
        server.stop()

        let again = try RunningServer.start(on: server.folder, [])
        defer { again.stop() }
        let client = try APIClient(
            port: Int(again.port),
            applicationKey: server.applicationKey,
            session: ann.session
        )
        let read = try client.send("GET", "/classes/Chat/\(id)")
        #expect(read.status == 200)
        #expect(member("body", of: read.text) == "kept")
    }

    private func signUp(
        _ name: String,
        on server: RunningServer
    ) throws -> (id: String, session: String) {
        let answer = try server.client().send(
            "POST",
            "/users",
            #"{"userName":"\#(name)","password":"p@ss word","displayName":"\#(name)"}"#
        )
        try #require(answer.status == 201)
        return (
            try #require(member("objectId", of: answer.text)),
            try #require(member("sessionToken", of: answer.text))
        )
    }
}
