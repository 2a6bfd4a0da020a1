import HatoWire
import Testing

@Suite("WebSocketFrame")
struct WebSocketFrameTests {
    @Test(
        "writes the shortest length form",
        arguments: [
            (0, [0x82, 0]), (125, [0x82, 125]), (126, [0x82, 126, 0, 126]),
            (65_535, [0x82, 126, 0xFF, 0xFF]), (65_536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])]
    )
    func headers(count: Int, header: [UInt8]) {
        var bytes: [UInt8] = []
        WebSocketFrame.appendHeader(.binary, payloadCount: count, to: &bytes)
        #expect(bytes == header)
        let payload = Array(repeating: UInt8(5), count: count)
        #expect(WebSocketFrame.encode(.binary, payload) == header + payload)
    }

    @Test("masks as the example of RFC 6455 5.7")
    func masks() {
        let bytes = WebSocketFrame.encodeMasked(
            .text,
            Array("Hello".utf8).span,
            key: 0x37FA_213D
        )
        #expect(bytes == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    }

    @Test("writes what the parser reads", arguments: WebSocketOpcode.allCases)
    func roundTrip(opcode: WebSocketOpcode) {
        let payload = opcode == .close ? [3, 232] : Array("round trip".utf8)
        let masked = WebSocketFrame.encodeMasked(opcode, payload.span, key: 0xDEAD_BEEF)
        let plain = WebSocketFrame.encode(opcode, payload)
        #expect(hear(masked) == hear(plain, role: .client))
        #expect(hear(masked).steps.count == 1)
    }

    @Test("marks a fragment that is not the last")
    func fragments() {
        let bytes = WebSocketFrame.encodeMasked(
            .text,
            Array("a".utf8).span,
            key: 0,
            isFinal: false
        )
        #expect(bytes == [0x01, 0x81, 0, 0, 0, 0, 0x61])
    }

    @Test("cuts a close reason between characters, at 125 bytes")
    func closeReason() {
        let whole = WebSocketFrame.closePayload(
            code: 1001,
            reason: String(repeating: "a", count: 123)
        )
        #expect(whole.count == 125)
        let cut = WebSocketFrame.closePayload(code: 1001, reason: String(repeating: "あ", count: 42))
        #expect(cut.count == 2 + 41 * 3)
        #expect(Array(cut.prefix(2)) == [0x03, 0xE9])
        #expect(WebSocketFrame.closePayload(code: 1005).isEmpty)
    }
}
