import HatoTesting
import ObjectModel
import Testing

@testable import HatoServer

@Suite("Tokens for guarded channels, end to end")
struct ChannelTokenTests {
    private func token(_ server: RunningServer, session: String) throws -> TestHTTPResponse {
        let client = try TestHTTPClient(port: server.port)
        defer { client.close() }
        return try client.request(
            "GET",
            "/broadcasting/auth?channel_name=private-room&api_key=\(server.relayKey)",
            headers: [("X-NCMB-Apps-Session-Token", session)]
        )
    }

    private func signUp(_ server: RunningServer, _ body: String) throws -> (String, String) {
        let answer = try server.client().send("POST", "/users", body)
        let session = try #require(member("sessionToken", of: answer.text))
        return (session, try #require(member("objectId", of: answer.text)))
    }

    /// Opens the channel with the token of a session; returns the name that its members see.
    private func name(_ server: RunningServer, session: String) throws -> String? {
        let answer = try token(server, session: session)
        #expect(answer.status == 200)
        let jwt = try #require(member("auth", of: answer.text))
        let socket = try server.listener("private-room", "&presence=1&uuid=u&jwt=\(jwt)")
        guard case .text(let list) = try socket.receive() else { return nil }
        return member("user", of: list)
    }

    @Test("a session of a user with a name opens a channel; the token says who it is")
    func signedIn() async throws {
        try await onThread {
            let server = try RunningServer()
            let (session, id) = try signUp(server, #"{"userName":"ann","password":"pass"}"#)
            #expect(try name(server, session: session) == id)
            let (other, _) = try signUp(
                server,
                #"{"userName":"bob","password":"pass","displayName":"ボブ"}"#
            )
            #expect(try name(server, session: other) == "ボブ")
            #expect(try server.client(session: session).send("GET", "/logout").status == 200)
            #expect(try token(server, session: session).status == 401)
        }
    }

    @Test("an anonymous user gets none")
    func anonymous() async throws {
        try await onThread {
            let server = try RunningServer()
            let (session, _) = try signUp(
                server,
                #"{"authData":{"anonymous":{"id":"8704f7fd-0000-4000-8000-000000000000"}}}"#
            )
            let answer = try token(server, session: session)
            #expect(answer.status == 403)
            #expect(answer.text == #"{"error":"Anonymous users get no token."}"#)
        }
    }

    @Test("a setting of the operator guards every channel and limits a key while the server runs")
    func settings() async throws {
        try await onThread {
            let server = try RunningServer()
            var settings = server.application.settings
            settings.relay.connectionLimit = 1
            try server.server.applications.set(
                settings,
                forApplicationNamed: server.application.name
            )
            let first = try server.listener("room")
            #expect(
                try server.listener("room").receive()
                    == .text(#"{"error":"Too many connections."}"#)
            )
            settings.relay.guardsAllChannels = true
            try server.server.applications.set(
                settings,
                forApplicationNamed: server.application.name
            )
            #expect(
                try server.listener("room").receive()
                    == .text(#"{"error":"Authentication failed, provide valid jwt token."}"#)
            )
            withExtendedLifetime(first) {}
        }
    }
}
