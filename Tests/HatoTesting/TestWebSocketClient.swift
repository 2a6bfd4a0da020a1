/// A WebSocket client with frames of its own making, valid or not (RFC 6455).
///
/// Blocking, for one thread at a time. It refuses a masked, fragmented-control or reserved-bit
/// frame of the server, and answers pings unless told otherwise.
package final class TestWebSocketClient {
    package enum Message: Sendable, Equatable {
        case text(String)
        case binary([UInt8])
        case ping([UInt8])
        case pong([UInt8])
        /// `code` nil: a close frame without one.
        case close(code: Int?, reason: String)
        /// The stream ended without a close frame.
        case ended
    }

    /// A frame as it came.
    package struct Frame: Sendable, Equatable {
        package var isFinal: Bool
        package var opcode: UInt8
        package var payload: [UInt8]
        /// RSV1 was set: the payload is deflate data.
        package var isCompressed: Bool

        package init(isFinal: Bool, opcode: UInt8, payload: [UInt8], isCompressed: Bool = false) {
            self.isFinal = isFinal
            self.opcode = opcode
            self.payload = payload
            self.isCompressed = isCompressed
        }
    }

    /// The pair of RFC 6455 1.3: the accept value is checked without computing it.
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    package let http: TestHTTPClient
    /// The answer to the handshake.
    package let handshake: TestHTTPResponse
    package var answersPings = true
    /// Unpacks compressed messages; without it they are refused.
    package var unpack: (([UInt8]) throws -> [UInt8])?
    /// How many of the received messages came compressed.
    package private(set) var compressedCount = 0
    private var generator: SeededGenerator

    /// Connects and shakes hands; any answer but 101 is thrown as `malformed`.
    ///
    /// `connection` is the whole value of that header: FoundationNetworking sends `keep-alive`.
    package init(
        port: Int,
        target: String,
        headers: [(String, String)] = [],
        connection: String = "Upgrade",
        receiveBufferBytes: Int? = nil,
        tls: TestTLS? = nil,
        seed: UInt64 = 1,
        within limit: Duration = Deadline.usual
    ) throws {
        self.generator = SeededGenerator(seed: seed)
        self.http = try TestHTTPClient(
            port: port,
            receiveBufferBytes: receiveBufferBytes,
            tls: tls,
            within: limit
        )
        try http.send(
            "GET",
            target,
            headers: [
                ("Upgrade", "websocket"),
                ("Connection", connection),
                ("Sec-WebSocket-Version", "13"),
                ("Sec-WebSocket-Key", Self.key),
            ] + headers
        )
        self.handshake = try http.response()
        guard handshake.status == 101 else {
            throw TestFailure.malformed(
                "status \(handshake.status) to a handshake: \(handshake.text)"
            )
        }
        guard handshake["Sec-WebSocket-Accept"] == Self.accept else {
            throw TestFailure.malformed("a wrong Sec-WebSocket-Accept")
        }
    }

    // MARK: Sending

    package func send(text: String) throws {
        try send(opcode: 1, payload: Array(text.utf8))
    }

    package func send(binary: [UInt8]) throws {
        try send(opcode: 2, payload: binary)
    }

    package func sendClose(code: Int? = 1000, reason: String = "") throws {
        let payload = code.map { [UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] + Array(reason.utf8) }
        try send(opcode: 8, payload: payload ?? [])
    }

    package func send(
        opcode: UInt8,
        payload: [UInt8],
        isFinal: Bool = true,
        isMasked: Bool = true,
        isCompressed: Bool = false
    ) throws {
        try http.send(
            frame(
                opcode: opcode,
                payload: payload,
                isFinal: isFinal,
                isMasked: isMasked,
                isCompressed: isCompressed
            )
        )
    }

    /// Returns the bytes of a frame, for tests that cut or join them.
    package func frame(
        opcode: UInt8,
        payload: [UInt8],
        isFinal: Bool = true,
        isMasked: Bool = true,
        isCompressed: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        if payload.count < 126 {
            bytes.append(mask | UInt8(payload.count))
        } else if payload.count < 65_536 {
            bytes.append(mask | 126)
            bytes += [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        } else {
            bytes.append(mask | 127)
            bytes += (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
        }
        guard isMasked else { return bytes + payload }
        let key = generator.bytes(4)
        bytes += key
        bytes.reserveCapacity(bytes.count + payload.count)
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ key[index & 3]) }
        return bytes
    }

    // MARK: Receiving

    /// Returns the next frame whatever it is; nil at the end of the stream.
    package func receiveFrame() throws -> Frame? {
        let first: [UInt8]
        do {
            first = try http.bytes(2)
        } catch TestFailure.ended {
            return nil
        }
        let opcode = first[0] & 0x0F
        let isCompressed = first[0] & 0x40 != 0
        let mayBeCompressed = unpack != nil && (opcode == 1 || opcode == 2)
        guard first[0] & 0x30 == 0, !isCompressed || mayBeCompressed else {
            throw TestFailure.malformed("a frame with reserved bits")
        }
        guard first[1] & 0x80 == 0 else { throw TestFailure.malformed("a masked frame") }
        var count = Int(first[1] & 0x7F)
        if count >= 126 {
            count = try http.bytes(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        return Frame(
            isFinal: first[0] & 0x80 != 0,
            opcode: opcode,
            payload: try http.bytes(count),
            isCompressed: isCompressed
        )
    }

    /// Returns the next message; pings are answered and passed over while `answersPings`.
    package func receive() throws -> Message {
        while var frame = try receiveFrame() {
            guard frame.isFinal else { throw TestFailure.malformed("a fragmented message") }
            if frame.isCompressed, let unpack {
                compressedCount += 1
                frame.payload = try unpack(frame.payload)
            }
            switch frame.opcode {
            case 1:
                guard let text = String(validating: frame.payload, as: UTF8.self) else {
                    throw TestFailure.malformed("a text that is not UTF-8")
                }
                return .text(text)
            case 2: return .binary(frame.payload)
            case 8: return try close(frame.payload)
            case 9 where answersPings: try send(opcode: 10, payload: frame.payload)
            case 9: return .ping(frame.payload)
            case 10: return .pong(frame.payload)
            default: throw TestFailure.malformed("opcode \(frame.opcode)")
            }
        }
        return .ended
    }

    /// Sends a ping and returns when its pong has come: all that was sent before has been handled.
    ///
    /// What comes in between is returned.
    package func settle(_ mark: String = "settle") throws -> [Message] {
        try send(opcode: 9, payload: Array(mark.utf8))
        var between: [Message] = []
        while true {
            let message = try receive()
            if message == .pong(Array(mark.utf8)) { return between }
            if message == .ended { throw TestFailure.ended("a pong") }
            between.append(message)
        }
    }

    /// Closes the connection without a close frame.
    package func vanish() { http.socket.reset() }

    private func close(_ payload: [UInt8]) throws -> Message {
        guard !payload.isEmpty else { return .close(code: nil, reason: "") }
        guard payload.count >= 2 else { throw TestFailure.malformed("a close frame of one byte") }
        return .close(
            code: Int(payload[0]) << 8 | Int(payload[1]),
            reason: String(decoding: payload[2...], as: UTF8.self)
        )
    }
}
