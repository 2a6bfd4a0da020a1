import HatoWire
import Testing

@Suite("WebSocketParser with compression")
struct CompressedFrameTests {
    private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    private static let protocolError = Heard(steps: [.failed(.protocolError)])

    private func hear(_ bytes: [UInt8], limit: Int = 1_048_576) -> Heard {
        HatoWireTests.hear(bytes, limit: limit, allowsCompression: true)
    }

    @Test("tells compressed messages from others, whole and in fragments with pings between")
    func messages() {
        let bytes =
            frame(1, Self.hello, reserved: 4) + frame(1, Array("a".utf8))
            + frame(2, [], reserved: 4)
            + frame(2, Array(Self.hello[..<3]), isFinal: false, reserved: 4) + frame(9, [7])
            + frame(0, isFinal: false) + frame(0, Array(Self.hello[3...]))
        let expected = Heard(
            steps: [
                .compressedMessage(isText: true), .message(isText: true),
                .compressedMessage(isText: false), .ping, .compressedMessage(isText: false),
            ],
            payloads: [Self.hello, Array("a".utf8), [], [7], Self.hello]
        )
        #expect(hear(bytes) == expected)
    }

    @Test("does not take deflate data for text, but still checks what came uncompressed")
    func text() {
        let notText: [UInt8] = [0xFF, 0xC0]
        #expect(hear(frame(1, notText, reserved: 4)).payloads == [notText])
        #expect(hear(frame(1, notText)).steps == [.failed(.invalidText)])
        #expect(
            hear(frame(1, notText, reserved: 4) + frame(1, notText)).steps
                == [.compressedMessage(isText: true), .failed(.invalidText)]
        )
    }

    @Test("allows RSV1 on the first frame of a message only, RSV2 and RSV3 nowhere")
    func reservedBits() {
        for reserved in [1, 2, 3, 5, 6, 7] as [UInt8] {
            #expect(hear(frame(1, Self.hello, reserved: reserved)) == Self.protocolError)
        }
        for opcode in [8, 9, 10] as [UInt8] {
            #expect(hear(frame(opcode, [], reserved: 4)) == Self.protocolError)
        }
        for first in [0, 4] as [UInt8] {
            let bytes = frame(2, [1], isFinal: false, reserved: first) + frame(0, [2], reserved: 4)
            #expect(hear(bytes) == Self.protocolError)
        }
        #expect(hear(frame(3, [], reserved: 4)) == Self.protocolError)
    }

    @Test("refuses RSV1 where compression was not agreed on")
    func withoutAgreement() {
        let heard = HatoWireTests.hear(frame(1, Self.hello, reserved: 4))
        #expect(heard == Self.protocolError)
    }

    @Test("takes as much deflate data as an incompressible message of the limit, and no more")
    func limit() {
        let packed = PerMessageDeflate.packedLimit(messageLimitBytes: 80)
        #expect(packed == 154)
        let fits = frame(2, [UInt8](repeating: 0, count: packed), reserved: 4)
        #expect(hear(fits, limit: 80).steps == [.compressedMessage(isText: false)])
        let tooLarge = frame(2, [UInt8](repeating: 0, count: packed + 1), reserved: 4)
        #expect(hear(tooLarge, limit: 80).steps == [.failed(.messageTooLarge)])
        let plain = frame(2, [UInt8](repeating: 0, count: 81))
        #expect(hear(plain, limit: 80).steps == [.failed(.messageTooLarge)])
        #expect(PerMessageDeflate.packedLimit(messageLimitBytes: .max) == .max)
    }

    @Test("says in its header that a frame is compressed")
    func header() {
        var bytes: [UInt8] = []
        WebSocketFrame.appendHeader(.text, payloadCount: 3, isCompressed: true, to: &bytes)
        #expect(bytes == [0xC1, 0x03])
    }
}
