/// Writes frames (RFC 6455 5.2).
package enum WebSocketFrame {
    /// Bytes that a control frame may carry.
    package static let controlLimitBytes = 125

    /// Appends a frame's header.
    ///
    /// A masked frame's four key bytes follow it, then the payload. `isCompressed` belongs to the first
    /// frame of a message (RFC 7692 6).
    package static func appendHeader(
        _ opcode: WebSocketOpcode,
        payloadCount: Int,
        isFinal: Bool = true,
        isMasked: Bool = false,
        isCompressed: Bool = false,
        to output: inout [UInt8]
    ) {
        let maskBit: UInt8 = isMasked ? 0x80 : 0
        output.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let count = UInt64(max(payloadCount, 0))
        let lengthByteCount: UInt64
        switch count {
        case 0...125:
            output.append(maskBit | UInt8(truncatingIfNeeded: count))
            lengthByteCount = 0
        case 126...65_535:
            output.append(maskBit | 126)
            lengthByteCount = 2
        default:
            output.append(maskBit | 127)
            lengthByteCount = 8
        }
        var shift = lengthByteCount * 8
        while shift > 0 {
            shift -= 8
            output.append(UInt8(truncatingIfNeeded: count >> shift))
        }
    }

    /// Returns a whole unmasked frame, as a server sends it.
    package static func encode(_ opcode: WebSocketOpcode, _ payload: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(payload.count + 10)
        appendHeader(opcode, payloadCount: payload.count, to: &output)
        output.append(copying: payload)
        return output
    }

    /// Returns a whole unmasked frame, as a server sends it.
    package static func encode(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        encode(opcode, payload.span)
    }

    /// Returns a whole masked frame, as a client sends it.
    ///
    /// - Parameters:
    ///   - opcode: What the frame is.
    ///   - payload: The bytes before masking.
    ///   - key: Four bytes that nobody can foretell (RFC 6455 10.3), the first one highest.
    ///   - isFinal: Whether the message ends here.
    /// - Returns: The frame's bytes.
    package static func encodeMasked(
        _ opcode: WebSocketOpcode,
        _ payload: Span<UInt8>,
        key: UInt32,
        isFinal: Bool = true
    ) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(payload.count + 14)
        appendHeader(
            opcode,
            payloadCount: payload.count,
            isFinal: isFinal,
            isMasked: true,
            to: &output
        )
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: key >> shift))
        }
        let start = output.count
        output.append(copying: payload)
        _ = WebSocketMask.apply(key.byteSwapped, to: &output, from: start)
        return output
    }

    /// Returns a close frame's payload: the code and as much of the reason as fits, cut between
    /// characters.
    ///
    /// A code that may not be sent gives an empty payload.
    package static func closePayload(code: UInt16, reason: String = "") -> [UInt8] {
        guard isSendable(closeCode: code) else { return [] }
        var payload = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        for scalar in reason.unicodeScalars {
            let encoded = String(scalar).utf8
            guard payload.count + encoded.count <= controlLimitBytes else { break }
            payload.append(contentsOf: encoded)
        }
        return payload
    }

    /// Says whether a close frame may carry the code (RFC 6455 7.4 and the registry behind it):
    /// 1004–1006 and 1015 are never sent, 1016–2999 are not given out.
    package static func isSendable(closeCode code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
