import Cryptography
import HTTPServer
import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import NCMBAdapter

/// Every route with every kind of credential: no route forgets a check.
@Suite("Credentials")
struct CredentialTests {
    enum Kind: CaseIterable {
        case noKey
        case unknownKey
        case wrongSignature
        case emptySignature
        case keyOnly
        case rightSignature
        case session
        case bearer
        case unknownSession
        case expiredSession
    }

    struct Call: Sendable {
        var method: String
        var path: String
        var pattern: String
        var body: String?
        /// With the key alone, and with the session of `USER000000000001`.
        var asStranger: Int
        var asUser: Int
        var ignoresSessions = false
    }

    static let calls: [Call] = [
        Call(
            method: "POST",
            path: "/classes/Chat",
            pattern: "/classes/{class}",
            body: "{}",
            asStranger: 201,
            asUser: 201
        ),
        Call(
            method: "GET",
            path: "/classes/Chat",
            pattern: "/classes/{class}",
            asStranger: 200,
            asUser: 200
        ),
        Call(
            method: "GET",
            path: "/classes/Chat/OBJ1",
            pattern: "/classes/{class}/{id}",
            asStranger: 200,
            asUser: 200
        ),
        Call(
            method: "PUT",
            path: "/classes/Chat/OBJ1",
            pattern: "/classes/{class}/{id}",
            body: "{}",
            asStranger: 200,
            asUser: 200
        ),
        Call(
            method: "DELETE",
            path: "/classes/Chat/OBJ1",
            pattern: "/classes/{class}/{id}",
            asStranger: 200,
            asUser: 200
        ),
        Call(
            method: "POST",
            path: "/users",
            pattern: "/users",
            body: #"{"userName":"new","password":"p"}"#,
            asStranger: 201,
            asUser: 201,
            ignoresSessions: true
        ),
        Call(method: "GET", path: "/users", pattern: "/users", asStranger: 200, asUser: 200),
        Call(
            method: "GET",
            path: "/users/USER000000000001",
            pattern: "/users/{id}",
            asStranger: 200,
            asUser: 200
        ),
        Call(
            method: "PUT",
            path: "/users/USER000000000001",
            pattern: "/users/{id}",
            body: "{}",
            asStranger: 403,
            asUser: 200
        ),
        Call(
            method: "DELETE",
            path: "/users/USER000000000001",
            pattern: "/users/{id}",
            asStranger: 403,
            asUser: 200
        ),
        Call(
            method: "POST",
            path: "/login",
            pattern: "/login",
            body: #"{"userName":"yamada","password":"p@ss word"}"#,
            asStranger: 200,
            asUser: 200,
            ignoresSessions: true
        ),
        Call(
            method: "GET",
            path: "/login?password=p%40ss+word&userName=yamada",
            pattern: "/login",
            asStranger: 200,
            asUser: 200,
            ignoresSessions: true
        ),
        Call(method: "GET", path: "/logout", pattern: "/logout", asStranger: 401, asUser: 200),
    ]

    @Test("the table has every route")
    func complete() async throws {
        let world = try await World.serving()
        let routes = Set(world.router.table.map { "\($0.method.name) \($0.pattern)" })
        #expect(Set(Self.calls.map { "\($0.method) /2013-09-01\($0.pattern)" }) == routes)
        #expect(Self.calls.count == routes.count)
    }

    @Test("each route answers each kind as it must", arguments: calls)
    func table(call: Call) async throws {
        for kind in Kind.allCases {
            let world = try await World.serving()
            let answer = try world.answer(to: Self.bytes(call, kind))
            let (status, code) = Self.expected(call, kind)
            #expect(answer.status == status, "\(kind): \(answer.text)")
            if let code { #expect(answer.text.contains(code), "\(kind): \(answer.text)") }
        }
    }

    private static func expected(_ call: Call, _ kind: Kind) -> (Int, String?) {
        switch kind {
        case .noKey, .wrongSignature, .emptySignature: return (401, "E401001")
        case .unknownKey: return (404, "E404005")
        case .keyOnly, .rightSignature: return (call.asStranger, nil)
        case .session, .bearer: return (call.asUser, nil)
        case .unknownSession, .expiredSession:
            return call.ignoresSessions ? (call.asStranger, nil) : (401, "E401001")
        }
    }

    private static func bytes(_ call: Call, _ kind: Kind) -> [UInt8] {
        var headers: [(String, String)] = []
        if kind != .noKey {
            let key = kind == .unknownKey ? "unknown" : World.applicationKey
            headers.append(("X-NCMB-Application-Key", key))
        }
        switch kind {
        case .noKey, .unknownKey, .keyOnly: break
        case .wrongSignature:
            headers += signature(call, clientKey: World.clientKey + "x")
        case .emptySignature: headers.append(("X-NCMB-Signature", ""))
        case .rightSignature: headers += signature(call, clientKey: World.clientKey)
        case .session: headers.append(("X-NCMB-Apps-Session-Token", "TOKEN"))
        case .bearer: headers.append(("Authorization", "Bearer TOKEN"))
        case .unknownSession: headers.append(("X-NCMB-Apps-Session-Token", "NOBODY"))
        case .expiredSession: headers.append(("X-NCMB-Apps-Session-Token", "EXPIRED"))
        }
        var text = "\(call.method) /2013-09-01\(call.path) HTTP/1.1\r\nHost: hato.example\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body = call.body { text += "Content-Length: \(body.utf8.count)\r\n" }
        return Array((text + "\r\n" + (call.body ?? "")).utf8)
    }

    /// Signs by the documentation, not by the code under test.
    static func signature(_ call: Call, clientKey: String) -> [(String, String)] {
        let timestamp = "2026-11-30T00:00:00.000Z"
        let parts = call.path.split(separator: "?", maxSplits: 1).map(String.init)
        var parameters = [
            "SignatureMethod=HmacSHA256", "SignatureVersion=2",
            "X-NCMB-Application-Key=\(World.applicationKey)", "X-NCMB-Timestamp=\(timestamp)",
        ]
        if call.method == "GET", parts.count > 1 {
            parameters += parts[1].split(separator: "&").map(String.init).sorted()
        }
        let message = [
            call.method, "hato.example", "/2013-09-01" + parts[0],
            parameters.joined(separator: "&"),
        ].joined(separator: "\n")
        let code = HMACKey(Array(clientKey.utf8)).code(of: Array(message.utf8))
        return [("X-NCMB-Timestamp", timestamp), ("X-NCMB-Signature", Base64.encode(code))]
    }
}
