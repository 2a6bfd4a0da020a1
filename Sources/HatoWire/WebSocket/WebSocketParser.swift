/// Turns the bytes behind a handshake into messages (RFC 6455 5), one `.message` after the other.
///
/// Bytes go in as they come, in any split. Fragments are put together, masks taken off, and text is
/// checked while it comes, so that a wrong byte fails the connection before its frame is whole.
/// Memory grows with the bytes that came, never by what a frame announces.
package struct WebSocketParser: Sendable {
    /// Which end of the connection reads.
    package enum Role: Sendable {
        /// Refuses frames that are not masked.
        case server
        /// Refuses frames that are masked.
        case client
    }

    package enum Step: Sendable, Equatable {
        /// Every byte of the input was taken.
        case needsMore
        /// `payload` is a whole message.
        case message(isText: Bool)
        /// `payload` is a whole message as deflate data (RFC 7692): to be unpacked within
        /// `messageLimitBytes`, and a text then to be checked.
        case compressedMessage(isText: Bool)
        /// Answer with a pong that carries `payload`.
        case ping
        /// `payload` came back, or came unasked.
        case pong
        /// The other end closes; `payload` is its reason, UTF-8. What follows is ignored.
        case close(code: UInt16?)
        /// Close with the failure's code. What follows is ignored.
        case failed(WebSocketFailure)
    }

    private enum Stage {
        case opcode, length, extendedLength, mask, payload, closed
    }

    package let role: Role
    /// Bytes of one message, all its fragments together.
    package let messageLimitBytes: Int
    /// Whether messages may come compressed.
    package let allowsCompression: Bool

    private var stage = Stage.opcode
    private var opcode = WebSocketOpcode.continuation
    private var isFinal = false
    /// The type of the message whose fragments are coming.
    private var messageOpcode: WebSocketOpcode?
    private var isCompressed = false
    private var isMasked = false
    private var length: UInt64 = 0
    private var lengthByteCount = 0
    private var lengthBytesLeft = 0
    /// The key as four bytes, the next one to use lowest.
    private var maskKey: UInt32 = 0
    private var maskBytesLeft = 0
    private var payloadBytesLeft = 0
    private var message: [UInt8] = []
    private var control: [UInt8] = []
    private var isControlPayload = false
    private var text = UTF8Validator()

    package init(role: Role, messageLimitBytes: Int, allowsCompression: Bool = false) {
        self.role = role
        self.messageLimitBytes = messageLimitBytes
        self.allowsCompression = allowsCompression
    }

    /// The bytes of the last step: a message, a ping's or pong's data, a close's reason.
    package var payload: [UInt8] { isControlPayload ? control : message }

    /// No byte of a frame or message is held: an idle connection needs no parser of its own.
    package var isIdle: Bool { stage == .opcode && messageOpcode == nil }

    /// Gives the bytes of the last step away, without a copy.
    package mutating func takePayload() -> [UInt8] {
        var taken: [UInt8] = []
        if isControlPayload {
            swap(&taken, &control)
        } else {
            swap(&taken, &message)
        }
        return taken
    }

    /// Takes bytes of `input` from `offset` on, to the end of a message or control frame at most, and
    /// moves `offset` behind them.
    package mutating func parse(_ input: Span<UInt8>, from offset: inout Int) -> Step {
        while offset < input.count {
            let failure: WebSocketFailure?
            switch stage {
            case .opcode: failure = takeOpcode(input[offset])
            case .length: failure = takeLength(input[offset])
            case .extendedLength: failure = takeExtendedLength(input[offset])
            case .mask: failure = takeMask(input[offset])
            case .payload:
                if let step = takePayload(of: input, from: &offset) { return step }
                continue
            case .closed:
                offset = input.count
                return .needsMore
            }
            offset &+= 1
            if let failure { return fail(failure) }
            // A frame without payload is whole with its header.
            if stage == .payload, payloadBytesLeft == 0, let step = finishFrame() { return step }
        }
        return .needsMore
    }

    private mutating func fail(_ failure: WebSocketFailure) -> Step {
        stage = .closed
        message = []
        return .failed(failure)
    }
}

extension WebSocketParser {
    /// Storage up to this size is used for the next message; a bigger one is given back.
    private static let keptMessageBytes = 65_536

    /// RSV1 on the first frame of a message says that it is compressed (RFC 7692 6); no extension uses
    /// it elsewhere, and none the other two.
    private func allowsReservedBits(_ bits: UInt8, _ opcode: WebSocketOpcode) -> Bool {
        bits == 0
            || bits == Self.compressedBit && allowsCompression
                && (opcode == .text || opcode == .binary)
    }

    private static let compressedBit: UInt8 = 0x40

    private mutating func takeOpcode(_ byte: UInt8) -> WebSocketFailure? {
        guard let opcode = WebSocketOpcode(rawValue: byte & 0x0F),
            allowsReservedBits(byte & 0x70, opcode)
        else { return .protocolError }
        self.opcode = opcode
        isFinal = byte & 0x80 != 0
        if opcode.isControl {
            guard isFinal else { return .protocolError }
            control.removeAll(keepingCapacity: true)
        } else if opcode == .continuation {
            guard messageOpcode != nil else { return .protocolError }
        } else {
            guard messageOpcode == nil else { return .protocolError }
            messageOpcode = opcode
            isCompressed = byte & Self.compressedBit != 0
            message.removeAll(keepingCapacity: message.capacity <= Self.keptMessageBytes)
            text = UTF8Validator()
        }
        stage = .length
        return nil
    }

    private mutating func takeLength(_ byte: UInt8) -> WebSocketFailure? {
        isMasked = byte & 0x80 != 0
        guard isMasked == (role == .server) else { return .protocolError }
        length = UInt64(byte & 0x7F)
        lengthByteCount = length == 126 ? 2 : length == 127 ? 8 : 0
        guard lengthByteCount > 0 else { return finishLength() }
        guard !opcode.isControl else { return .protocolError }
        length = 0
        lengthBytesLeft = lengthByteCount
        stage = .extendedLength
        return nil
    }

    private mutating func takeExtendedLength(_ byte: UInt8) -> WebSocketFailure? {
        if lengthBytesLeft == 8, byte & 0x80 != 0 { return .protocolError }
        length = length << 8 | UInt64(byte)
        lengthBytesLeft -= 1
        guard lengthBytesLeft == 0 else { return nil }
        guard length > (lengthByteCount == 2 ? 125 : 65_535) else { return .protocolError }
        return finishLength()
    }

    /// Bytes of payloads that a message may come as.
    private var arrivalLimitBytes: Int {
        isCompressed
            ? PerMessageDeflate.packedLimit(messageLimitBytes: messageLimitBytes)
            : messageLimitBytes
    }

    private mutating func finishLength() -> WebSocketFailure? {
        if opcode == .close, length == 1 { return .protocolError }
        if !opcode.isControl {
            let room = arrivalLimitBytes - message.count
            guard length <= UInt64(max(room, 0)) else { return .messageTooLarge }
        }
        payloadBytesLeft = Int(truncatingIfNeeded: length)
        maskKey = 0
        maskBytesLeft = 4
        stage = isMasked ? .mask : .payload
        return nil
    }

    private mutating func takeMask(_ byte: UInt8) -> WebSocketFailure? {
        maskKey = maskKey >> 8 | UInt32(byte) << 24
        maskBytesLeft -= 1
        if maskBytesLeft == 0 { stage = .payload }
        return nil
    }

    private mutating func takePayload(of input: Span<UInt8>, from offset: inout Int) -> Step? {
        let count = min(payloadBytesLeft, input.count &- offset)
        let piece = input.extracting(offset..<offset &+ count)
        offset &+= count
        payloadBytesLeft &-= count
        if opcode.isControl {
            maskKey = Self.append(piece, to: &control, unmaskedBy: maskKey)
        } else {
            let start = message.count
            maskKey = Self.append(piece, to: &message, unmaskedBy: maskKey)
            if messageOpcode == .text, !isCompressed {
                var validator = text
                guard validator.accept(message.span.extracting(start..<message.count)) else {
                    return fail(.invalidText)
                }
                text = validator
            }
        }
        return payloadBytesLeft == 0 ? finishFrame() : nil
    }

    /// Returns the step that a whole frame makes; nil for a fragment with more to come.
    private mutating func finishFrame() -> Step? {
        stage = .opcode
        switch opcode {
        case .close:
            isControlPayload = true
            return finishClose()
        case .ping, .pong:
            isControlPayload = true
            return opcode == .ping ? .ping : .pong
        case .continuation, .text, .binary:
            guard isFinal else { return nil }
            let isText = messageOpcode == .text
            if isText, !isCompressed, !text.isAtBoundary { return fail(.invalidText) }
            messageOpcode = nil
            isControlPayload = false
            return isCompressed ? .compressedMessage(isText: isText) : .message(isText: isText)
        }
    }

    private mutating func finishClose() -> Step {
        stage = .closed
        guard control.count >= 2 else { return .close(code: nil) }
        let code = UInt16(control[0]) << 8 | UInt16(control[1])
        guard WebSocketFrame.isSendable(closeCode: code) else { return fail(.protocolError) }
        control.removeFirst(2)
        guard UTF8Validator.isValid(control.span) else { return fail(.invalidText) }
        return .close(code: code)
    }

    /// Appends a piece of a payload without its mask; returns the key turned for the next piece.
    private static func append(
        _ piece: Span<UInt8>,
        to buffer: inout [UInt8],
        unmaskedBy key: UInt32
    ) -> UInt32 {
        let start = buffer.count
        buffer.append(copying: piece)
        // The key of a frame without mask is zero and changes nothing.
        return key == 0 ? 0 : WebSocketMask.apply(key, to: &buffer, from: start)
    }
}
