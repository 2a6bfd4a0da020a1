import HatoWire

/// WebSocket frames, as a server reads them and as a client does, with compression agreed on and without.
enum FrameTarget {
    /// Small, so that a fuzzer's inputs pass it.
    static let messageLimitBytes = 512

    static func check(_ input: [UInt8]) throws {
        for role in [WebSocketParser.Role.server, .client] {
            for isCompressing in [false, true] {
                func trace(_ input: [UInt8], _ pieceSize: Int) throws -> FrameTrace {
                    try FrameTrace(input, role, pieceSize: pieceSize, isCompressing: isCompressing)
                }
                let whole = try trace(input, .max)
                for size in pieceSizes {
                    try hold(try trace(input, size) == whole, "pieces of \(size) read otherwise")
                }
                try checkContents(whole, isCompressing: isCompressing)
                let again = try trace(encode(whole, for: role), .max)
                try hold(
                    again.events == whole.events,
                    "frames that were written again read otherwise"
                )
            }
        }
    }

    private static func checkContents(_ trace: FrameTrace, isCompressing: Bool) throws {
        for (index, event) in trace.events.enumerated() {
            switch event.step {
            case .needsMore, .failed: throw Violation("a step that is no event")
            case .message(let isText):
                try hold(event.payload.count <= messageLimitBytes, "a message past its limit")
                let isValid = String(validating: event.payload, as: UTF8.self) != nil
                try hold(!isText || isValid, "text that is not UTF-8")
            case .compressedMessage:
                try hold(isCompressing, "a compressed message that was not agreed on")
                let limit = PerMessageDeflate.packedLimit(messageLimitBytes: messageLimitBytes)
                try hold(event.payload.count <= limit, "a compressed message past its limit")
            case .ping, .pong:
                let limit = WebSocketFrame.controlLimitBytes
                try hold(event.payload.count <= limit, "a control frame past its limit")
            case .close(let code):
                try hold(index == trace.events.count - 1, "an event behind the close")
                try hold(trace.failure == nil, "a failure behind the close")
                try hold(code != nil || event.payload.isEmpty, "a reason without a code")
                try hold(code.map(WebSocketFrame.isSendable) ?? true, "a code that is not sent")
                let isValid = String(validating: event.payload, as: UTF8.self) != nil
                try hold(isValid, "a reason that is not UTF-8")
            }
        }
    }

    /// The events as the other end would send them, each message in one frame.
    private static func encode(_ trace: FrameTrace, for role: WebSocketParser.Role) -> [UInt8] {
        trace.events.flatMap { event in
            let opcode: WebSocketOpcode
            var payload = event.payload
            var isCompressed = false
            switch event.step {
            case .needsMore, .failed: return [UInt8]()
            case .message(let isText): opcode = isText ? .text : .binary
            case .compressedMessage(let isText):
                opcode = isText ? .text : .binary
                isCompressed = true
            case .ping: opcode = .ping
            case .pong: opcode = .pong
            case .close(let code):
                opcode = .close
                if let code {
                    let reason = String(decoding: payload, as: UTF8.self)
                    payload = WebSocketFrame.closePayload(code: code, reason: reason)
                }
            }
            var frame =
                role == .server
                ? WebSocketFrame.encodeMasked(opcode, payload.span, key: 0x1234_5678)
                : WebSocketFrame.encode(opcode, payload)
            // RSV1
            if isCompressed { frame[0] |= 0x40 }
            return frame
        }
    }
}

/// What a parser made of a socket's bytes.
struct FrameTrace: Equatable {
    struct Event: Equatable {
        let step: WebSocketParser.Step
        let payload: [UInt8]
    }

    private(set) var events: [Event] = []
    private(set) var failure: WebSocketFailure?

    init(
        _ input: [UInt8],
        _ role: WebSocketParser.Role,
        pieceSize: Int,
        isCompressing: Bool
    ) throws {
        var parser = WebSocketParser(
            role: role,
            messageLimitBytes: FrameTarget.messageLimitBytes,
            allowsCompression: isCompressing
        )
        for piece in input.pieces(of: pieceSize) {
            var offset = 0
            reading: while true {
                let step = parser.parse(piece.span, from: &offset)
                switch step {
                case .needsMore:
                    try hold(offset == piece.count, "bytes are left though more are wanted")
                    break reading
                case .failed(let failure):
                    try hold(self.failure == nil, "a second failure")
                    self.failure = failure
                case .message, .compressedMessage, .ping, .pong, .close:
                    try hold(failure == nil, "an event behind the failure")
                    events.append(Event(step: step, payload: parser.payload))
                }
            }
        }
    }
}
