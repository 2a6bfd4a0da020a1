import HatoWire

/// WebSocket frames, as a server reads them and as a client does.
enum FrameTarget {
    /// Small, so that a fuzzer's inputs pass it.
    static let messageLimitBytes = 512

    static func check(_ input: [UInt8]) throws {
        for role in [WebSocketParser.Role.server, .client] {
            let whole = try FrameTrace(input, role, pieceSize: .max)
            for size in pieceSizes {
                let trace = try FrameTrace(input, role, pieceSize: size)
                try hold(trace == whole, "pieces of \(size) read otherwise")
            }
            try checkContents(whole)
            let again = try FrameTrace(encode(whole, for: role), role, pieceSize: .max)
            try hold(again.events == whole.events, "frames that were written again read otherwise")
        }
    }

    private static func checkContents(_ trace: FrameTrace) throws {
        for (index, event) in trace.events.enumerated() {
            switch event.step {
            case .needsMore, .failed: throw Violation("a step that is no event")
            case .message(let isText):
                try hold(event.payload.count <= messageLimitBytes, "a message past its limit")
                let isValid = String(validating: event.payload, as: UTF8.self) != nil
                try hold(!isText || isValid, "text that is not UTF-8")
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
            switch event.step {
            case .needsMore, .failed: return [UInt8]()
            case .message(let isText): opcode = isText ? .text : .binary
            case .ping: opcode = .ping
            case .pong: opcode = .pong
            case .close(let code):
                opcode = .close
                if let code {
                    let reason = String(decoding: payload, as: UTF8.self)
                    payload = WebSocketFrame.closePayload(code: code, reason: reason)
                }
            }
            return role == .server
                ? WebSocketFrame.encodeMasked(opcode, payload.span, key: 0x1234_5678)
                : WebSocketFrame.encode(opcode, payload)
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

    init(_ input: [UInt8], _ role: WebSocketParser.Role, pieceSize: Int) throws {
        var parser = WebSocketParser(
            role: role,
            messageLimitBytes: FrameTarget.messageLimitBytes
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
                case .message, .ping, .pong, .close:
                    try hold(failure == nil, "an event behind the failure")
                    events.append(Event(step: step, payload: parser.payload))
                }
            }
        }
    }
}
