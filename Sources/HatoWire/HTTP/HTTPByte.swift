/// The byte classes of RFC 9110 5.6 and RFC 3986, as bit sets: a lookup is a shift, needs no table
/// in memory and no bounds check.
enum HTTPByte {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let comma: UInt8 = 0x2C
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let questionMark: UInt8 = 0x3F
    static let backslash: UInt8 = 0x5C

    /// tchar (RFC 9110 5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        isMember(byte, 0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    }

    /// Every visible ASCII character but `#`, `<` and `>`: RFC 3986's, and those that SDKs send raw
    /// (rulings 9).
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        isMember(byte, 0xAFFF_FFF6_0000_0000, 0x7FFF_FFFF_FFFF_FFFF)
    }

    /// unreserved and sub-delims (RFC 3986 3.2.2); `%` is looked at on its own.
    @inline(__always)
    static func isRegisteredName(_ byte: UInt8) -> Bool {
        isMember(byte, 0x2BFF_7FD2_0000_0000, 0x47FF_FFFE_87FF_FFFE)
    }

    @inline(__always)
    static func isSpaceOrTab(_ byte: UInt8) -> Bool {
        byte == space || byte == tab
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10
    }

    /// Returns a hexadecimal digit's value.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt8? {
        let digit = byte &- 0x30
        if digit < 10 { return digit }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// The byte with `A`–`Z` turned to `a`–`z`.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    @inline(__always)
    private static func isMember(_ byte: UInt8, _ low: UInt64, _ high: UInt64) -> Bool {
        let half = byte < 64 ? low : high
        return byte < 0x80 && (half &>> UInt64(byte & 63)) & 1 != 0
    }
}

extension HTTPByte {
    /// Says whether the bytes of `range` are exactly `text`.
    static func equal(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        let pointer = text.utf8Start
        var index = 0
        while index < range.count {
            if bytes[range.lowerBound &+ index] != pointer[index] { return false }
            index &+= 1
        }
        return true
    }

    /// Says whether the bytes of `range`, lowercased, are exactly `text`, which is lowercase.
    static func equalIgnoringCase(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ text: StaticString
    ) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        let pointer = text.utf8Start
        var index = 0
        while index < range.count {
            if lowercased(bytes[range.lowerBound &+ index]) != pointer[index] { return false }
            index &+= 1
        }
        return true
    }

    /// Returns the first position in `start..<end` whose byte may not stand in a field value (RFC
    /// 9110 5.5: every control but HTAB), or `end`.
    ///
    /// Eight bytes at a time.
    @inline(__always)
    static func firstControl(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        let raw = bytes.bytes
        var position = start
        while true {
            while position &+ 8 <= end {
                let word = UInt64(
                    littleEndian: raw.unsafeLoadUnaligned(
                        fromByteOffset: position,
                        as: UInt64.self
                    )
                )
                let controls = controlBits(word)
                if controls != 0 {
                    position &+= controls.trailingZeroBitCount &>> 3
                    break
                }
                position &+= 8
            }
            while position < end {
                let byte = bytes[position]
                if (byte < space && byte != tab) || byte == 0x7F { return position }
                position &+= 1
                if byte == tab { break }
            }
            if position >= end { return end }
        }
    }

    /// The top bit of each byte below 0x20 or equal to 0x7F; bits above the lowest one may be wrong.
    @inline(__always)
    private static func controlBits(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let delete = word ^ (ones &* 0x7F)
        let belowSpace = (word &- ones &* 0x20) & ~word
        return (belowSpace | ((delete &- ones) & ~delete)) & (ones &* 0x80)
    }
}
