/// Base64 of RFC 4648 4: the standard alphabet, padded.
package enum Base64 {
    /// Returns the encoded text, `4 * ceil(n / 3)` characters.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the encoded text.
    package static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes.span)
    }

    /// Appends the encoded text.
    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        output.reserveCapacity(output.count + (bytes.count + 2) / 3 * 4)
        var position = 0
        while position < bytes.count {
            let left = bytes.count - position
            let first = UInt32(bytes[position])
            let second = left > 1 ? UInt32(bytes[position + 1]) : 0
            let third = left > 2 ? UInt32(bytes[position + 2]) : 0
            let group = first << 16 | second << 8 | third
            output.append(character(group >> 18))
            output.append(character(group >> 12))
            output.append(left > 1 ? character(group >> 6) : padding)
            output.append(left > 2 ? character(group) : padding)
            position += 3
        }
    }

    /// Returns the bytes behind a text, or nil.
    ///
    /// Strict: whole groups, padding only at the end, no white space, and no bits left over, so
    /// that two texts never mean the same bytes.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        var group: UInt32 = 0
        var count = 0
        var paddingCount = 0
        for byte in text {
            if byte == padding {
                paddingCount += 1
                guard paddingCount <= 2 else { return nil }
                group <<= 6
            } else {
                guard paddingCount == 0, let bits = value(byte) else { return nil }
                group = group << 6 | bits
            }
            count += 1
            guard count == 4 else { continue }
            let unused = (UInt32(1) << (UInt32(paddingCount) * 8)) - 1
            guard group & unused == 0 else { return nil }
            output.append(UInt8(truncatingIfNeeded: group >> 16))
            if paddingCount < 2 { output.append(UInt8(truncatingIfNeeded: group >> 8)) }
            if paddingCount < 1 { output.append(UInt8(truncatingIfNeeded: group)) }
            group = 0
            count = 0
            if paddingCount > 0 { paddingCount = 3 }
        }
        return count == 0 ? output : nil
    }

    private static let padding = UInt8(ascii: "=")

    private static func character(_ bits: UInt32) -> UInt8 {
        let index = UInt8(truncatingIfNeeded: bits & 63)
        switch index {
        case 0..<26: return index + 0x41
        case 26..<52: return index - 26 + 0x61
        case 52..<62: return index - 52 + 0x30
        case 62: return UInt8(ascii: "+")
        default: return UInt8(ascii: "/")
        }
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5A: UInt32(byte) - 0x41
        case 0x61...0x7A: UInt32(byte) - 0x61 + 26
        case 0x30...0x39: UInt32(byte) - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
