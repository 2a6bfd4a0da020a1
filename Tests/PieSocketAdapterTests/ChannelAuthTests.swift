import HatoTesting
import HatoWire
import PieSocketAdapter
import Testing

@Suite("/broadcasting/auth")
struct ChannelAuthTests {
    private static let credentials = [
        ("X-NCMB-Application-Key", "application"), ("X-NCMB-Apps-Session-Token", "session"),
    ]

    private func post(
        _ fixture: RelayFixture,
        _ target: String,
        type: String,
        _ body: String,
        headers: [(String, String)] = credentials
    ) throws -> TestHTTPResponse {
        let client = try TestHTTPClient(port: fixture.port)
        defer { client.close() }
        return try client.request(
            "POST",
            target,
            headers: headers + [("Content-Type", type)],
            text: body
        )
    }

    private static func form(_ name: String, _ value: String) -> String {
        "--XX\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nprivate-x\r\n"
            + "--XX\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n--XX--\r\n"
    }

    private static let formType = "multipart/form-data; boundary=XX"

    /// Expects a token that opens `private-room`, with the session's user.
    private func expectToken(_ response: TestHTTPResponse, _ fixture: RelayFixture) throws {
        #expect(response.status == 200)
        guard case .object(let body) = try JSON.parse(response.body), body.members.count == 1,
            case .string(let token)? = body["auth"]
        else { throw TestFailure.malformed(response.text) }
        let socket = try fixture.socket("private-room", "&presence=1&uuid=u1&jwt=\(token)")
        #expect(try socket.event().members == [PresenceEvent.Member("u1", "Ann あ")])
    }

    @Test("gives a token to the three forms that the SDKs send")
    func forms() throws {
        let fixture = try RelayFixture()
        let form = Self.form("channel_name", "private-room")
        try expectToken(
            try post(fixture, "/broadcasting/auth", type: Self.formType, form),
            fixture
        )
        let target = "/broadcasting/auth?channel_name=private-room"
        let placeholder = #"{"id":13,"name":"jack"}"#
        try expectToken(
            try post(fixture, target, type: "application/json", placeholder),
            fixture
        )
        try expectToken(try fixture.get(target, headers: Self.credentials), fixture)
        let session = [Self.credentials[1]]
        for key in ["relaykey", "application"] {
            try expectToken(try fixture.get("\(target)&api_key=\(key)", headers: session), fixture)
        }
    }

    @Test(
        "answers 401 with one text to a wrong key or session",
        arguments: [
            [], [("X-NCMB-Application-Key", "application")],
            [("X-NCMB-Apps-Session-Token", "session")],
            [("X-NCMB-Application-Key", "wrong"), ("X-NCMB-Apps-Session-Token", "session")],
            [("X-NCMB-Application-Key", "application"), ("X-NCMB-Apps-Session-Token", "wrong")],
            [("X-NCMB-Application-Key", "application2"), ("X-NCMB-Apps-Session-Token", "session")],
        ]
    )
    func unauthenticated(headers: [(String, String)]) throws {
        let response = try RelayFixture().get(
            "/broadcasting/auth?channel_name=private-room",
            headers: headers
        )
        #expect(response.status == 401)
        #expect(response.text == #"{"error":"A key and a session are needed."}"#)
    }

    @Test("answers 403 to anonymous users, 503 while the application is not open")
    func others() throws {
        let fixture = try RelayFixture()
        for (session, status) in [("anonymous", 403), ("closed", 503)] {
            let response = try fixture.get(
                "/broadcasting/auth?channel_name=private-room&api_key=relaykey",
                headers: [("X-NCMB-Apps-Session-Token", session)]
            )
            #expect(response.status == status)
        }
    }

    @Test("answers 400 without a channel's name, or with one past the limit")
    func badChannel() throws {
        let fixture = try RelayFixture()
        let longest = String(repeating: "a", count: 128)
        #expect(try fixture.get("/broadcasting/auth", headers: Self.credentials).status == 400)
        for (name, status) in [(longest, 200), (longest + "a", 400), ("", 400), ("a\u{0}", 400)] {
            let form = Self.form("channel_name", name)
            let response = try post(fixture, "/broadcasting/auth", type: Self.formType, form)
            #expect(response.status == status)
        }
        let torn = String(Self.form("channel_name", "a").dropLast(5))
        for (type, body) in [
            (Self.formType, torn), (Self.formType, Self.form("channel", "a")), (Self.formType, ""),
            ("text/plain", Self.form("channel_name", "a")), ("multipart/form-data", "x"),
        ] {
            #expect(try post(fixture, "/broadcasting/auth", type: type, body).status == 400)
        }
    }

    @Test("reads a body of 64 KB and refuses a longer one with 413")
    func longestBody() throws {
        let fixture = try RelayFixture()
        let form = Self.form("channel_name", "private-room")
        let filler = String(repeating: "x", count: 65_536 - form.utf8.count)
        let fits = try post(fixture, "/broadcasting/auth", type: Self.formType, form + filler)
        #expect(fits.status == 200)
        let over = try post(fixture, "/broadcasting/auth", type: Self.formType, form + filler + "x")
        #expect(over.status == 413)
    }

    @Test("cuts a name that is longer than a member's may be")
    func longName() throws {
        let fixture = try RelayFixture()
        let response = try fixture.get(
            "/broadcasting/auth?channel_name=private-room&api_key=relaykey",
            headers: [("X-NCMB-Apps-Session-Token", "long")]
        )
        let token = response.text.dropFirst(#"{"auth":""#.count).dropLast(2)
        let socket = try fixture.socket("private-room", "&presence=1&uuid=u1&jwt=\(token)")
        let name = String(repeating: "n", count: 512)
        #expect(try socket.event().members == [PresenceEvent.Member("u1", name)])
    }

    @Test("lets a page of another origin ask with credentials, as the JavaScript SDK does")
    func crossOrigin() throws {
        let fixture = try RelayFixture()
        let target = "/broadcasting/auth?channel_name=private-room"
        let origin = [("Origin", "https://chat.example")]
        let answer = try fixture.get(target, headers: Self.credentials + origin)
        #expect(answer.status == 200)
        let client = try TestHTTPClient(port: fixture.port)
        let preflight = try client.request(
            "OPTIONS",
            target,
            headers: origin + [
                ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", "x-ncmb-apps-session-token"),
            ]
        )
        #expect(preflight.status == 204)
        #expect(preflight["Access-Control-Allow-Headers"] == "x-ncmb-apps-session-token")
        let refused = try client.request("PUT", target, headers: origin)
        #expect(refused.status == 405)
        for response in [answer, preflight, refused] {
            let origins = response.headers.filter { $0.name == "Access-Control-Allow-Origin" }
            #expect(origins.map(\.value) == ["https://chat.example"])
            #expect(response["Access-Control-Allow-Credentials"] == "true")
        }
    }
}
