import HatoWire
import Testing

@Suite("PerMessageDeflate")
struct PerMessageDeflateTests {
    private static let always = "server_no_context_takeover; client_no_context_takeover"

    /// The request of a handshake with those fields.
    private static func request(_ values: [String]) -> HTTPRequest {
        let fields = values.map { "Sec-WebSocket-Extensions: \($0)\r\n" }.joined()
        var parser = RequestParser()
        var offset = 0
        let text = "GET /echo HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
        expectStep(.request, of: &parser, on: Array(text.utf8), from: &offset)
        return parser.request
    }

    /// What the answer says after the extension's name; nil for no agreement.
    private static func answer(_ values: [String]) -> String? {
        guard case .agreed(let agreement) = PerMessageDeflate.negotiate(request(values)) else {
            return nil
        }
        var answer: [UInt8] = []
        agreement.append(to: &answer)
        let text = String(decoding: answer, as: UTF8.self)
        #expect(text.hasPrefix("permessage-deflate; "))
        return String(text.dropFirst("permessage-deflate; ".count))
    }

    @Test(
        "agrees to what can be kept, and forbids both sides to keep a context",
        arguments: [
            ["permessage-deflate"],
            ["permessage-deflate; client_max_window_bits"],
            ["permessage-deflate;client_max_window_bits=8"],
            ["permessage-deflate ; client_max_window_bits=\"15\" ;client_no_context_takeover"],
            ["permessage-deflate;server_no_context_takeover;client_no_context_takeover"],
            ["x-webkit-deflate-frame", "permessage-deflate"],
            [",, x; y=\"1\" ,\tpermessage-deflate,"],
        ]
    )
    func agrees(values: [String]) {
        #expect(Self.answer(values) == Self.always)
    }

    @Test("keeps to the window that the client asks for", arguments: 9...15)
    func window(bits: Int) throws {
        for value in ["\(bits)", "\"\(bits)\"", "\"\\\(bits)\""] {
            let values = ["permessage-deflate; server_max_window_bits=\(value)"]
            #expect(Self.answer(values) == Self.always + "; server_max_window_bits=\(bits)")
        }
        let request = Self.request(["permessage-deflate; server_max_window_bits=\(bits)"])
        guard case .agreed(let agreement) = PerMessageDeflate.negotiate(request) else {
            Issue.record("no agreement")
            return
        }
        #expect(agreement.serverWindowBits == bits)
    }

    @Test(
        "declines an offer that it cannot keep or does not know, and takes the next",
        arguments: [
            "server_max_window_bits=8", "server_max_window_bits=7", "server_max_window_bits=16",
            "server_max_window_bits=010", "server_max_window_bits", "server_max_window_bits=a",
            "server_max_window_bits=-9", "server_max_window_bits=+9",
            "client_max_window_bits=16", "client_max_window_bits=7", "client_max_window_bits=08",
            "client_no_context_takeover=1", "server_no_context_takeover=true",
            "client_no_context_takeover; client_no_context_takeover",
            "server_max_window_bits=10; server_max_window_bits=10",
            "client_max_window_bits; client_max_window_bits=9",
            "unknown", "unknown=1", "SERVER_NO_CONTEXT_TAKEOVER",
        ]
    )
    func declines(parameters: String) {
        let offer = "permessage-deflate; " + parameters
        #expect(PerMessageDeflate.negotiate(Self.request([offer])) == .declined)
        let fallback = "permessage-deflate; server_max_window_bits=12"
        let expected = Self.always + "; server_max_window_bits=12"
        #expect(Self.answer([offer + ", " + fallback]) == expected)
        #expect(Self.answer([offer, fallback]) == expected)
    }

    @Test(
        "declines when nothing known is offered",
        arguments: [[], [""], [","], ["permessage-bzip2"], ["Permessage-Deflate"]]
    )
    func nothingKnown(values: [String]) {
        #expect(PerMessageDeflate.negotiate(Self.request(values)) == .declined)
    }

    @Test(
        "calls a value malformed that breaks the grammar",
        arguments: [
            ";", "permessage-deflate;", "permessage-deflate; =1", "permessage-deflate; a=",
            "permessage-deflate; a=\"\"", "permessage-deflate; a=\"1",
            "permessage-deflate; a=\"1\\",
            "permessage-deflate; a=\"1 2\"", "permessage-deflate a", "a=1",
            "permessage-deflate; a=1 2",
            "permessage-deflate, (x)", "permessage-deflate; a=\"1\"2",
        ]
    )
    func malformed(value: String) {
        #expect(PerMessageDeflate.negotiate(Self.request([value])) == .malformed)
    }

    @Test("reads as many names as the limit says, over all fields, and no more")
    func limit() {
        let limit = PerMessageDeflate.offerLimit
        let others = (1..<limit).map { "x\($0)" }.joined(separator: ",")
        #expect(Self.answer([others, "permessage-deflate"]) == Self.always)
        #expect(
            PerMessageDeflate.negotiate(Self.request([others, "permessage-deflate, y"]))
                == .malformed
        )
        #expect(
            PerMessageDeflate.negotiate(Self.request([others, "permessage-deflate; y"]))
                == .malformed
        )
    }

    @Test("writes the agreement into the handshake's answer, and nothing without one")
    func acceptance() {
        var answer: [UInt8] = []
        guard
            case .agreed(let agreement) = PerMessageDeflate.negotiate(
                Self.request(["permessage-deflate"])
            )
        else {
            Issue.record("no agreement")
            return
        }
        _ = WebSocketHandshake.appendAcceptance(
            acceptKey: "k",
            subprotocol: nil,
            compression: agreement,
            to: &answer
        )
        let text = String(decoding: answer, as: UTF8.self)
        #expect(
            text.hasSuffix(
                "Accept: k\r\nSec-WebSocket-Extensions: permessage-deflate; \(Self.always)\r\n\r\n"
            )
        )
        answer = []
        _ = WebSocketHandshake.appendAcceptance(acceptKey: "k", subprotocol: nil, to: &answer)
        #expect(!String(decoding: answer, as: UTF8.self).contains("Extensions"))
    }
}
