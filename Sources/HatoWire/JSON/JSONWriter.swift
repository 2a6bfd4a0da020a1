/// Writes canonical JSON: raw UTF-8, `/` escaped as `\/`, no spaces, the number's own text
/// (rulings 7).
package enum JSONWriter {
    /// Appends a value and all below it.
    package static func append(_ json: JSON, to output: inout [UInt8]) {
        switch json {
        case .null: append(literal: "null", to: &output)
        case .bool(true): append(literal: "true", to: &output)
        case .bool(false): append(literal: "false", to: &output)
        case .number(let number): append(number, to: &output)
        case .string(let text): append(string: text, to: &output)
        case .array(let elements):
            output.append(0x5B)
            var isFirst = true
            for element in elements {
                if !isFirst { output.append(0x2C) }
                isFirst = false
                append(element, to: &output)
            }
            output.append(0x5D)
        case .object(let object):
            output.append(0x7B)
            var isFirst = true
            for member in object.members {
                if !isFirst { output.append(0x2C) }
                isFirst = false
                append(string: member.name, to: &output)
                output.append(0x3A)
                append(member.value, to: &output)
            }
            output.append(0x7D)
        }
    }

    /// Returns the value's canonical bytes.
    package static func bytes(_ json: JSON) -> [UInt8] {
        var output: [UInt8] = []
        append(json, to: &output)
        return output
    }

    /// Appends a number's own text.
    package static func append(_ number: JSONNumber, to output: inout [UInt8]) {
        number.text.append(to: &output)
    }

    /// Appends a string with its quotes.
    package static func append(string: Text, to output: inout [UInt8]) {
        output.append(0x22)
        append(escaped: string, to: &output)
        output.append(0x22)
    }

    /// Appends a string's inside: escaped, without quotes.
    package static func append(escaped text: Text, to output: inout [UInt8]) {
        text.withBytes { append(escaped: $0, to: &output) }
    }

    /// Appends UTF-8 bytes as a string's inside: escaped, without quotes.
    package static func append(escaped bytes: Span<UInt8>, to output: inout [UInt8]) {
        let raw = bytes.bytes
        var runStart = 0
        var position = 0
        while position < bytes.count {
            if position &+ 8 <= bytes.count {
                let word = raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
                let marks = marks(UInt64(littleEndian: word))
                guard marks != 0 else {
                    position &+= 8
                    continue
                }
                position &+= marks.trailingZeroBitCount &>> 3
            }
            let byte = bytes[position]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x2F {
                append(raw: bytes.extracting(runStart..<position), to: &output)
                append(escapeOf: byte, to: &output)
                runStart = position &+ 1
            }
            position &+= 1
        }
        append(raw: bytes.extracting(runStart..<position), to: &output)
    }

    /// Sets the high bit of each byte that is a control, a quote, a backslash or a slash.
    ///
    /// A borrow can mark a byte wrongly, but only above one that is rightly marked.
    @inline(__always)
    private static func marks(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let controls = word &- ones &* 0x20
        let quotes = (word ^ (ones &* 0x22)) &- ones
        let backslashes = (word ^ (ones &* 0x5C)) &- ones
        let slashes = (word ^ (ones &* 0x2F)) &- ones
        return (controls | quotes | backslashes | slashes) & ~word & (ones &* 0x80)
    }

    /// Appends bytes as they are.
    package static func append(raw bytes: Span<UInt8>, to output: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }

    /// Appends ASCII as it is.
    package static func append(literal: StaticString, to output: inout [UInt8]) {
        literal.withUTF8Buffer { output.append(contentsOf: $0) }
    }

    private static func append(escapeOf byte: UInt8, to output: inout [UInt8]) {
        output.append(0x5C)
        switch byte {
        case 0x08: output.append(0x62)
        case 0x09: output.append(0x74)
        case 0x0A: output.append(0x6E)
        case 0x0C: output.append(0x66)
        case 0x0D: output.append(0x72)
        case 0..<0x20:
            append(literal: "u00", to: &output)
            output.append(0x30 &+ byte &>> 4)
            let low = byte & 0x0F
            output.append(low < 10 ? 0x30 &+ low : 0x57 &+ low)
        default: output.append(byte)
        }
    }
}
