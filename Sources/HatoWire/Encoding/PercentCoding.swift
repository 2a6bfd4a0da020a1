/// Percent-coding of URLs (RFC 3986 2.1) and of forms, where `+` is a space.
package enum PercentCoding {
    /// Returns the bytes behind a coded text.
    ///
    /// Lenient, since SDKs send values unescaped: a `%` without two hexadecimal digits stands for
    /// itself. Any byte may come out, NUL too.
    package static func decode(
        _ text: ArraySlice<UInt8>,
        plusIsSpace: Bool = false
    ) -> [UInt8] {
        decode(text, plusIsSpace: plusIsSpace) { _ in true }
    }

    /// Returns the text with those `%XX` decoded whose byte is chosen; the others stay as they are.
    package static func decode(
        _ text: ArraySlice<UInt8>,
        plusIsSpace: Bool = false,
        where isChosen: (UInt8) -> Bool
    ) -> [UInt8] {
        let bytes = text.span
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "%"), position + 2 < bytes.count,
                let high = HTTPByte.hexValue(bytes[position + 1]),
                let low = HTTPByte.hexValue(bytes[position + 2]), isChosen(high << 4 | low)
            {
                output.append(high << 4 | low)
                position += 3
            } else {
                output.append(byte == UInt8(ascii: "+") && plusIsSpace ? HTTPByte.space : byte)
                position += 1
            }
        }
        return output
    }

    /// Returns the same as text; bytes that are not UTF-8 are repaired.
    package static func text(_ text: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String {
        let isPlain = !text.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
        if isPlain { return String(decoding: text, as: UTF8.self) }
        return String(decoding: decode(text, plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    /// Returns a text in which only RFC 3986's unreserved characters stand for themselves.
    package static func encode(_ text: String) -> String {
        let digits: StaticString = "0123456789ABCDEF"
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                output.append(byte)
            default:
                output.append(UInt8(ascii: "%"))
                output.append(digits.utf8Start[Int(byte >> 4)])
                output.append(digits.utf8Start[Int(byte & 15)])
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
