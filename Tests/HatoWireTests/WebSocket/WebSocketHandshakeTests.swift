import HatoWire
import Testing

@Suite("WebSocketHandshake")
struct WebSocketHandshakeTests {
    private typealias Refusal = WebSocketHandshake.Refusal

    private static let valid = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]

    private static func check(
        _ fields: [String],
        line: String = "GET /echo HTTP/1.1",
        body: String = ""
    ) throws -> WebSocketHandshake.Verdict {
        let text = ([line, "Host: a"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
        var parser = RequestParser()
        var offset = 0
        expectStep(.request, of: &parser, on: Array(text.utf8), from: &offset)
        return WebSocketHandshake.check(parser.request)
    }

    /// The valid fields with the one at `index` replaced by `others`.
    private static func replacing(_ index: Int, by others: [String]) -> [String] {
        var fields = valid
        fields.replaceSubrange(index...index, with: others)
        return fields
    }

    @Test("accepts with the key of RFC 6455 1.3")
    func accepts() throws {
        let verdict = try Self.check(Self.valid)
        #expect(verdict == .accept(acceptKey: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    }

    @Test(
        "accepts an upgrade among the options, or exactly keep-alive",
        arguments: [
            ["Connection: upgrade"], ["Connection: keep-alive, Upgrade"],
            ["Connection: keep-alive"],
            ["Connection: Keep-Alive"], ["Connection: x", "Connection: ,UPGRADE,"],
        ]
    )
    func acceptsConnection(lines: [String]) throws {
        let verdict = try Self.check(Self.replacing(1, by: lines))
        #expect(verdict == .accept(acceptKey: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    }

    @Test(
        "refuses any other Connection",
        arguments: [
            [], ["Connection: close"], ["Connection: keep-alive, close"], ["Connection:"],
            ["Connection: keep-alive, x"], ["Connection: keep-alive", "Connection: keep-alive"],
            ["Connection: upgraded"], ["Connection: keep-alive,"],
        ]
    )
    func refusesConnection(lines: [String]) throws {
        let verdict = try Self.check(Self.replacing(1, by: lines))
        #expect(verdict == .refuse(.connectionWithoutUpgrade))
        #expect(Refusal.connectionWithoutUpgrade.status == 400)
    }

    @Test(
        "asks for a WebSocket where none was asked for",
        arguments: [[], ["Upgrade: h2c"], ["Upgrade: websocketx"], ["Upgrade:"]]
    )
    func refusesUpgrade(lines: [String]) throws {
        #expect(try Self.check(Self.replacing(0, by: lines)) == .refuse(.upgradeMissing))
        #expect(Refusal.upgradeMissing.status == 426)
        #expect(Refusal.upgradeMissing.fields.contains { "\($0.name)" == "Upgrade" })
    }

    @Test("finds websocket in a list, in any case", arguments: ["h2c, WebSocket", "WEBSOCKET"])
    func acceptsUpgradeList(value: String) throws {
        let verdict = try Self.check(Self.replacing(0, by: ["Upgrade: \(value)"]))
        #expect(verdict == .accept(acceptKey: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    }

    @Test(
        "answers 426 with its version to any other version",
        arguments: [
            [], ["Sec-WebSocket-Version: 12"], ["Sec-WebSocket-Version: 99"],
            ["Sec-WebSocket-Version: 013"], ["Sec-WebSocket-Version: 13, 8"],
            ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 13"],
        ]
    )
    func refusesVersion(lines: [String]) throws {
        #expect(try Self.check(Self.replacing(3, by: lines)) == .refuse(.versionNot13))
        #expect(Refusal.versionNot13.status == 426)
        let fields = Refusal.versionNot13.fields.map { "\($0.name): \($0.value)" }
        #expect(fields.contains("Sec-WebSocket-Version: 13"))
    }

    @Test(
        "refuses a key that is not 16 bytes in base64, exactly once",
        arguments: [
            [], ["Sec-WebSocket-Key:"], ["Sec-WebSocket-Key: abc"],
            ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ"],
            ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j"],
            ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZSE="], ["Sec-WebSocket-Key: !!!!"],
            ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZR=="],
            [
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ],
        ]
    )
    func refusesKey(lines: [String]) throws {
        #expect(try Self.check(Self.replacing(2, by: lines)) == .refuse(.badKey))
        #expect(Refusal.badKey.status == 400)
    }

    @Test("refuses other methods, HTTP/1.0 and a body")
    func refusesRequests() throws {
        let post = try Self.check(Self.valid, line: "POST /echo HTTP/1.1")
        #expect(post == .refuse(.methodNotGet))
        #expect(Refusal.methodNotGet.status == 405)
        #expect(Refusal.methodNotGet.fields.contains { "\($0.name)" == "Allow" })
        let old = try Self.check(Self.valid, line: "GET /echo HTTP/1.0")
        #expect(old == .refuse(.versionNotHTTP11))
        let body = try Self.check(Self.valid + ["Content-Length: 2"], body: "hi")
        #expect(body == .refuse(.hasBody))
    }

    @Test("writes the answer, with a subprotocol only when the route gives one")
    func writesAcceptance() {
        var bytes: [UInt8] = []
        let isWritten = WebSocketHandshake.appendAcceptance(
            acceptKey: "k=",
            subprotocol: nil,
            to: &bytes
        )
        #expect(isWritten)
        let head =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        #expect(bytes == Array((head + "Sec-WebSocket-Accept: k=\r\n\r\n").utf8))
        bytes = []
        #expect(
            WebSocketHandshake.appendAcceptance(acceptKey: "k=", subprotocol: "chat.v1", to: &bytes)
        )
        let protocolLine = "Sec-WebSocket-Protocol: chat.v1\r\n\r\n"
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(protocolLine))
        bytes = []
        for bad in ["", "a b", "a\r\nX: y"] {
            #expect(
                !WebSocketHandshake.appendAcceptance(acceptKey: "k=", subprotocol: bad, to: &bytes)
            )
        }
        #expect(bytes.isEmpty)
    }

    @Test("lists the subprotocols asked for in order")
    func listsSubprotocols() {
        let text = get("Sec-WebSocket-Protocol: a, b\r\nSec-WebSocket-Protocol: c\r\n")
        var parser = RequestParser()
        var offset = 0
        expectStep(.request, of: &parser, on: Array(text.utf8), from: &offset)
        #expect(WebSocketHandshake.subprotocols(parser.request) == ["a", "b", "c"])
    }
}
