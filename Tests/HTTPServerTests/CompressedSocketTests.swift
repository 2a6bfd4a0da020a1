import Compression
import HTTPServer
import HatoTesting
import HatoWire
import Testing

@Suite("WebSocket with permessage-deflate")
struct CompressedSocketTests {
    private static let agreed =
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
    /// `Hello`, of RFC 7692 7.2.3.1.
    private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    private func withSocket(
        offer: String = "permessage-deflate; client_max_window_bits",
        limit: Int = 1_048_576,
        _ body: (TestWebSocketClient) throws -> Void
    ) throws {
        let options = WebSocketOptions(messageLimitBytes: limit, allowsCompression: true)
        try withServer(router: .withSocket(options: options)) { _, port in
            let client = try TestWebSocketClient(
                port: port,
                target: "/socket",
                headers: [("Sec-WebSocket-Extensions", offer)]
            )
            client.unpack = { try Inflater().message($0.span, limitBytes: 16_777_216) }
            try body(client)
        }
    }

    private func pack(_ message: [UInt8]) throws -> [UInt8] {
        let packed = MessageDeflater().pack(message.span, windowBits: 15)
        return try #require(packed)
    }

    private static func text(_ count: Int) -> String {
        (0..<count).map { "こんにちは \($0), " }.joined()
    }

    @Test("agrees, and echoes compressed, plain, empty, fragmented and large messages in order")
    func echo() throws {
        try withSocket { client in
            #expect(client.handshake["Sec-WebSocket-Extensions"] == Self.agreed)
            try client.send(opcode: 1, payload: Self.hello, isCompressed: true)
            #expect(try client.receive() == .text("Hello"))
            #expect(client.compressedCount == 0)
            let long = Self.text(2_000)
            let packed = try pack(Array(long.utf8))
            try client.send(opcode: 1, payload: packed, isCompressed: true)
            #expect(try client.receive() == .text(long))
            #expect(client.compressedCount == 1)
            try client.send(text: long)
            #expect(try client.receive() == .text(long))
            try client.send(opcode: 2, payload: [0], isCompressed: true)
            #expect(try client.receive() == .binary([]))
            try client.send(
                opcode: 1,
                payload: Array(packed[..<3]),
                isFinal: false,
                isCompressed: true
            )
            try client.send(opcode: 9, payload: [7])
            #expect(try client.receive() == .pong([7]))
            try client.send(opcode: 0, payload: Array(packed[3...]))
            #expect(try client.receive() == .text(long))
            #expect(client.compressedCount == 3)
        }
    }

    @Test("sends what does not shrink as it is")
    func incompressible() throws {
        try withSocket { client in
            var generator = SeededGenerator(seed: 3)
            let noise = generator.bytes(50_000)
            try client.send(binary: noise)
            #expect(try client.receive() == .binary(noise))
            #expect(client.compressedCount == 0)
        }
    }

    @Test("keeps to the window that was asked for", arguments: [9, 12, 15])
    func window(bits: Int) throws {
        try withSocket(offer: "permessage-deflate; server_max_window_bits=\(bits)") { client in
            #expect(
                client.handshake["Sec-WebSocket-Extensions"]
                    == Self.agreed + "; server_max_window_bits=\(bits)"
            )
            let long = Self.text(500)
            try client.send(text: long)
            let frame = try #require(try client.receiveFrame())
            let own = MessageDeflater().pack(Array(long.utf8).span, windowBits: bits)
            #expect(frame.isCompressed)
            #expect(frame.payload == own)
        }
    }

    @Test("opens without compression where it is not allowed or the offer cannot be kept")
    func declined() throws {
        try withSocket(offer: "permessage-deflate; server_max_window_bits=8") { client in
            #expect(client.handshake["Sec-WebSocket-Extensions"] == nil)
            try client.send(opcode: 1, payload: Self.hello, isCompressed: true)
            #expect(try client.receive() == .close(code: 1002, reason: ""))
        }
        try withServer(router: .withSocket()) { _, port in
            let client = try TestWebSocketClient(
                port: port,
                target: "/socket",
                headers: [("Sec-WebSocket-Extensions", "permessage-deflate")]
            )
            #expect(client.handshake["Sec-WebSocket-Extensions"] == nil)
        }
    }

    @Test("fails a handshake whose extensions break the grammar")
    func malformed() throws {
        #expect(throws: TestFailure.self) {
            try withSocket(offer: "permessage-deflate;;") { _ in }
        }
    }

    @Test("closes with 1009 at one byte over the limit, and passes a message of the limit")
    func tooLarge() throws {
        let limit = 100_000
        try withSocket(limit: limit) { client in
            let fits = [UInt8](repeating: 0x61, count: limit)
            try client.send(opcode: 2, payload: try pack(fits), isCompressed: true)
            #expect(try client.receive() == .binary(fits))
            try client.send(opcode: 2, payload: try pack(fits + [0x61]), isCompressed: true)
            #expect(try client.receive() == .close(code: 1009, reason: ""))
        }
    }

    @Test("closes with 1009 at a bomb, and goes on serving others")
    func bomb() throws {
        let bomb = try pack([UInt8](repeating: 0, count: 20_000_000))
        try withSocket { client in
            try client.send(opcode: 1, payload: bomb, isCompressed: true)
            #expect(try client.receive() == .close(code: 1009, reason: ""))
        }
    }

    @Test("closes with 1007 at damaged data, and at a text that is not UTF-8 once unpacked")
    func damaged() throws {
        try withSocket { client in
            try client.send(opcode: 1, payload: [0xFF, 0xFF], isCompressed: true)
            #expect(try client.receive() == .close(code: 1007, reason: ""))
        }
        try withSocket { client in
            try client.send(opcode: 2, payload: Array(Self.hello[..<4]), isCompressed: true)
            #expect(try client.receive() == .close(code: 1007, reason: ""))
        }
        let notText = try pack([UInt8](repeating: 0xFF, count: 200))
        try withSocket { client in
            try client.send(opcode: 2, payload: notText, isCompressed: true)
            #expect(try client.receive() == .binary([UInt8](repeating: 0xFF, count: 200)))
            try client.send(opcode: 1, payload: notText, isCompressed: true)
            #expect(try client.receive() == .close(code: 1007, reason: ""))
        }
    }

    @Test("closes with 1002 at RSV1 on a control frame or on a later fragment")
    func reservedBits() throws {
        try withSocket { client in
            try client.send(opcode: 9, payload: [], isCompressed: true)
            #expect(try client.receive() == .close(code: 1002, reason: ""))
        }
        try withSocket { client in
            try client.send(opcode: 2, payload: [1], isFinal: false)
            try client.send(opcode: 0, payload: [2], isCompressed: true)
            #expect(try client.receive() == .close(code: 1002, reason: ""))
        }
    }
}
