/// The escapes inside JSON strings, both ways.
///
/// Written are only those that must be, and `\/` as NCMB does; the hexadecimal digits are lower
/// case. So every text has exactly one canonical form, and canonical texts are equal when their
/// bytes are.
package enum JSONEscapes {
    /// Returns the code unit of `\uXXXX` at `position`, nil when there is none.
    static func codeUnit(_ bytes: Span<UInt8>, at position: Int) -> UInt16? {
        guard position &+ 6 <= bytes.count, bytes[position] == 0x5C, bytes[position &+ 1] == 0x75
        else { return nil }
        var unit: UInt16 = 0
        for offset in 2..<6 {
            let byte = bytes[position &+ offset]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte &- 0x30
            case 0x41...0x46: digit = byte &- 0x41 &+ 10
            case 0x61...0x66: digit = byte &- 0x61 &+ 10
            default: return nil
            }
            unit = unit &<< 4 | UInt16(digit)
        }
        return unit
    }

    /// Whether a checked string's inside holds the escape of U+0000.
    static func encodesNUL(_ bytes: Span<UInt8>) -> Bool {
        var position = 0
        while position < bytes.count {
            guard bytes[position] == 0x5C else {
                position &+= 1
                continue
            }
            if codeUnit(bytes, at: position) == 0 { return true }
            position &+= 2
        }
        return false
    }

    /// Returns the text of a checked string's inside.
    package static func decode(_ bytes: Span<UInt8>) -> Text {
        // An escape is never shorter than what it stands for.
        let string = String(unsafeUninitializedCapacity: bytes.count) { buffer in
            var position = 0
            var count = 0
            while position < bytes.count {
                let character = next(bytes, at: &position)
                for index in 0..<character.count {
                    buffer[count] = character.byte(index)
                    count &+= 1
                }
            }
            return count
        }
        return Text(string)
    }

    /// Whether a checked string's inside stands for exactly these UTF-8 bytes.
    package static func areEqual(_ raw: Span<UInt8>, decoded text: Span<UInt8>) -> Bool {
        guard raw.count >= text.count else { return false }
        var position = 0
        var index = 0
        while position < raw.count {
            let character = next(raw, at: &position)
            for offset in 0..<character.count {
                guard index < text.count, text[index] == character.byte(offset) else {
                    return false
                }
                index &+= 1
            }
        }
        return index == text.count
    }

    /// Up to four bytes of UTF-8.
    package struct Character: Sendable {
        /// The first byte is the lowest.
        package var packed: UInt32
        package var count: Int

        @inlinable
        package init(packed: UInt32, count: Int) {
            self.packed = packed
            self.count = count
        }

        @inlinable
        package func byte(_ index: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: packed &>> UInt32(truncatingIfNeeded: 8 &* index))
        }
    }

    /// Reads one plain byte or one escape (a surrogate pair is one) of a checked string's inside.
    package static func next(_ bytes: Span<UInt8>, at position: inout Int) -> Character {
        let byte = bytes[position]
        guard byte == 0x5C, position &+ 1 < bytes.count else {
            position &+= 1
            return Character(packed: UInt32(byte), count: 1)
        }
        let letter = bytes[position &+ 1]
        if letter == 0x75, let unit = codeUnit(bytes, at: position) {
            position &+= 6
            guard (0xD800...0xDBFF).contains(unit),
                let low = codeUnit(bytes, at: position), (0xDC00...0xDFFF).contains(low)
            else { return encode(UInt32(unit)) }
            position &+= 6
            return encode(0x10000 &+ (UInt32(unit) &- 0xD800) &<< 10 &+ (UInt32(low) &- 0xDC00))
        }
        position &+= 2
        let plain: UInt8
        switch letter {
        case 0x62: plain = 0x08
        case 0x66: plain = 0x0C
        case 0x6E: plain = 0x0A
        case 0x72: plain = 0x0D
        case 0x74: plain = 0x09
        default: plain = letter
        }
        return Character(packed: UInt32(plain), count: 1)
    }

    private static func encode(_ scalar: UInt32) -> Character {
        let tail = { (shift: UInt32) -> UInt32 in 0x80 | scalar &>> shift & 0x3F }
        switch scalar {
        case 0..<0x80:
            return Character(packed: scalar, count: 1)
        case 0x80..<0x800:
            return Character(packed: (0xC0 | scalar &>> 6) | tail(0) &<< 8, count: 2)
        case 0x800..<0x10000:
            let packed = (0xE0 | scalar &>> 12) | tail(6) &<< 8 | tail(0) &<< 16
            return Character(packed: packed, count: 3)
        default:
            let packed =
                (0xF0 | scalar &>> 18) | tail(12) &<< 8 | tail(6) &<< 16 | tail(0) &<< 24
            return Character(packed: packed, count: 4)
        }
    }
}
