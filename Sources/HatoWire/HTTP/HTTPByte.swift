/// The byte classes of RFC 9110 5.6 and RFC 3986, as one table of bits.
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

    /// The classes of every byte, as the low four bits of a character from `0` to `?`.
    ///
    /// 1 is for tchar, 2 for a target's characters, 4 for a registered name's, 8 for a target's
    /// before its query.
    private static let classes: StaticString = """
        000000000000000000000000000000000?:1?;??>>??>??:??????????:>0>02\
        :??????????????????????????:::;?;??????????????????????????:;:?0\
        0000000000000000000000000000000000000000000000000000000000000000\
        0000000000000000000000000000000000000000000000000000000000000000
        """

    @inline(__always)
    private static func has(_ bit: UInt8, _ byte: UInt8) -> Bool {
        // A byte is always an index of the 256 characters.
        classes.utf8Start[Int(byte)] & bit != 0
    }

    /// A tchar (RFC 9110 5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        has(1, byte)
    }

    /// Every visible ASCII character but `#`, `<` and `>`.
    ///
    /// RFC 3986's, and those that SDKs send raw (rulings 9).
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        has(2, byte)
    }

    /// The same without `?`, at which a query begins.
    @inline(__always)
    static func isTargetBeforeQuery(_ byte: UInt8) -> Bool {
        has(8, byte)
    }

    /// The unreserved and sub-delims of RFC 3986 3.2.2; `%` is looked at on its own.
    @inline(__always)
    static func isRegisteredName(_ byte: UInt8) -> Bool {
        has(4, byte)
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

    /// Returns the first position in `start..<end` whose byte is no tchar, or `end`.
    ///
    /// Letters and hyphens, of which names are made, go eight at a time.
    @inline(__always)
    static func firstNonToken(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var position = start
        while position &+ 8 <= end {
            let others = otherThanLetterOrHyphenBits(word(bytes, at: position))
            if others != 0 {
                position &+= others.trailingZeroBitCount &>> 3
                break
            }
            position &+= 8
        }
        while position < end, isToken(bytes[position]) { position &+= 1 }
        return position
    }

    /// Returns the first position in `start..<end` whose byte is not a target's, or `end`.
    ///
    /// With `stopsAtQuery` a `?` ends the scan too.
    @inline(__always)
    static func firstOutsideTarget(
        _ bytes: Span<UInt8>,
        from start: Int,
        to end: Int,
        stopsAtQuery: Bool
    ) -> Int {
        var position = start
        while position < end {
            if position &+ 8 <= end {
                let bits = rareInTargetBits(word(bytes, at: position))
                position &+= bits == 0 ? 8 : bits.trailingZeroBitCount &>> 3
                if bits == 0 { continue }
            }
            let byte = bytes[position]
            guard stopsAtQuery ? isTargetBeforeQuery(byte) : isTarget(byte) else { break }
            position &+= 1
        }
        return position
    }

    /// Returns the first position in `start..<end` whose byte may not stand in a field value (RFC
    /// 9110 5.5: every control but HTAB), or `end`.
    ///
    /// Eight bytes at a time.
    @inline(__always)
    static func firstControl(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var position = start
        while true {
            while position &+ 8 <= end {
                let controls = controlBits(word(bytes, at: position))
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

    /// Returns the eight bytes from `position` on, the first one lowest.
    @inline(__always)
    static func word(_ bytes: Span<UInt8>, at position: Int) -> UInt64 {
        UInt64(
            littleEndian: bytes.bytes.unsafeLoadUnaligned(
                fromByteOffset: position,
                as: UInt64.self
            )
        )
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let topBits: UInt64 = 0x8080_8080_8080_8080

    /// The top bit of each byte that is neither an ASCII letter nor `-`; exact.
    @inline(__always)
    private static func otherThanLetterOrHyphenBits(_ word: UInt64) -> UInt64 {
        let low = word & ~topBits
        let folded = low | (ones &* 0x20)
        // Sums of seven-bit numbers stay inside their bytes.
        let letters = (folded &+ ones &* (0x80 - 0x61)) & ~(folded &+ ones &* (0x80 - 0x7B))
        let notHyphens = (low ^ (ones &* 0x2D)) &+ (ones &* 0x7F)
        return ((~letters & notHyphens) | word) & topBits
    }

    /// The top bit of each byte that no target has and of `<`, `=`, `>` and `?`, which are looked at
    /// on their own; bits above the lowest one may be wrong.
    @inline(__always)
    private static func rareInTargetBits(_ word: UInt64) -> UInt64 {
        let delete = word ^ (ones &* 0x7F)
        let hash = word ^ (ones &* 0x23)
        let angle = (word & (ones &* 0xFC)) ^ (ones &* 0x3C)
        let belowVisible = (word &- (ones &* 0x21)) & ~word
        let exact =
            ((delete &- ones) & ~delete) | ((hash &- ones) & ~hash) | ((angle &- ones) & ~angle)
        return (belowVisible | exact | word) & topBits
    }

    /// The top bit of each byte below 0x20 or equal to 0x7F; bits above the lowest one may be wrong.
    @inline(__always)
    private static func controlBits(_ word: UInt64) -> UInt64 {
        let delete = word ^ (ones &* 0x7F)
        let belowSpace = (word &- (ones &* 0x20)) & ~word
        return (belowSpace | ((delete &- ones) & ~delete)) & topBits
    }
}
