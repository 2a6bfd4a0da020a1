import HatoTesting
import HatoWire
import Testing

@testable import HatoServer

@Suite("Settings of compression")
struct CompressionSettingTests {
    private func extensions(_ settings: [String]) throws -> String? {
        let running = try RunningServer(settings: settings)
        let socket = try TestWebSocketClient(
            port: running.port,
            target: "/v3/room?api_key=\(running.relayKey)",
            headers: [("Sec-WebSocket-Extensions", "permessage-deflate")]
        )
        return socket.handshake["Sec-WebSocket-Extensions"]
    }

    @Test("compresses on /v3 only where the setting says so")
    func relay() throws {
        #expect(try extensions([]) == nil)
        #expect(
            try extensions(["--relay-compression", "on"])?.hasPrefix("permessage-deflate") == true
        )
    }

    /// What some reads answer to a client that accepts gzip: the Content-Encoding of each.
    private func encodings(_ settings: [String]) throws -> [String: String?] {
        let running = try RunningServer(settings: settings)
        let client = try TestHTTPClient(port: running.port)
        let key = ("X-NCMB-Application-Key", running.applicationKey)
        let base = "/2013-09-01"
        let signedUp = try client.request(
            "POST",
            base + "/users",
            headers: [key, ("Accept-Encoding", "gzip")],
            text:
                #"{"userName":"ann","password":"p","about":"\#(String(repeating: "a", count: 3_000))"}"#
        )
        #expect(signedUp.status == 201)
        #expect(signedUp["Content-Encoding"] == nil)
        guard case .object(let user) = try JSON.parse(signedUp.body),
            case .string(let token)? = user["sessionToken"]
        else { throw TestFailure.malformed(signedUp.text) }
        let saved = try client.request(
            "POST",
            base + "/classes/Chat",
            headers: [key],
            text: #"{"body":"\#(String(repeating: "hello ", count: 1_000))"}"#
        )
        guard case .object(let object) = try JSON.parse(saved.body),
            case .string(let id)? = object["objectId"]
        else { throw TestFailure.malformed(saved.text) }
        let session = ("X-NCMB-Apps-Session-Token", token.string)
        let requests: [(name: String, target: String, headers: [(String, String)])] = [
            ("list", "/classes/Chat", []), ("get", "/classes/Chat/\(id.string)", []),
            ("list with a session", "/classes/Chat", [session]),
            ("get with a session", "/classes/Chat/\(id.string)", [session]),
            ("users", "/users", []), ("users with a session", "/users", [session]),
            ("login", "/login?userName=ann&password=p", []),
        ]
        var encodings: [String: String?] = [:]
        for (name, target, headers) in requests {
            let response = try client.request(
                "GET",
                base + target,
                headers: [key, ("Accept-Encoding", "gzip")] + headers
            )
            #expect(response.status == 200, "\(name)")
            encodings[name] = response["Content-Encoding"]
        }
        return encodings
    }

    @Test("packs what everybody may read, nothing that a session or a user is in, and off is off")
    func gzip() throws {
        let packed = try encodings([]).compactMapValues { $0 }
        #expect(packed == ["list": "gzip", "get": "gzip"])
        #expect(try encodings(["--gzip", "off"]).compactMapValues { $0 }.isEmpty)
    }
}
