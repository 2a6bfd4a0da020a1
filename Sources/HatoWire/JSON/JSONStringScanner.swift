/// Finds the end of a JSON string and checks all that is in it: UTF-8 by the Unicode standard's
/// table 3-7, escapes, surrogate pairs.
enum JSONStringScanner {
    /// Returns the position of the closing quote of the string whose first inner byte is `start`.
    static func end(
        _ bytes: Span<UInt8>,
        from start: Int,
        hasEscapes: inout Bool
    ) throws(JSONError) -> Int {
        let raw = bytes.bytes
        let count = bytes.count
        var position = start
        while true {
            while position &+ 8 <= count {
                let word = UInt64(
                    littleEndian: raw.unsafeLoadUnaligned(
                        fromByteOffset: position,
                        as: UInt64.self
                    )
                )
                let marks = marks(word)
                guard marks == 0 else {
                    position &+= marks.trailingZeroBitCount &>> 3
                    break
                }
                position &+= 8
            }
            guard position < count else { throw JSONError(.unexpectedEnd, at: count) }
            let byte = bytes[position]
            if byte == 0x22 { return position }
            if byte >= 0x80 {
                position = try endOfMultibyteRun(bytes, from: position)
            } else if byte == 0x5C {
                hasEscapes = true
                position = try endOfEscape(bytes, from: position)
            } else if byte < 0x20 {
                throw JSONError(.controlCharacter, at: position)
            } else {
                position &+= 1
            }
        }
    }

    /// Sets the high bit of each byte that is a quote, a backslash, a control or not ASCII.
    ///
    /// A borrow can mark a byte wrongly, but only above one that is rightly marked.
    @inline(__always)
    private static func marks(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let controls = word &- ones &* 0x20
        let quotes = (word ^ (ones &* 0x22)) &- ones
        let backslashes = (word ^ (ones &* 0x5C)) &- ones
        return (controls | quotes | backslashes | word) & (ones &* 0x80)
    }

    /// Checks the characters from `start` on as long as they are not ASCII.
    private static func endOfMultibyteRun(
        _ bytes: Span<UInt8>,
        from start: Int
    ) throws(JSONError) -> Int {
        var position = start
        while position < bytes.count {
            let lead = bytes[position]
            guard lead >= 0x80 else { break }
            let length: Int
            let second: ClosedRange<UInt8>
            switch lead {
            case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            default: throw JSONError(.invalidUTF8, at: position)
            }
            guard position &+ length <= bytes.count, second.contains(bytes[position &+ 1]) else {
                throw JSONError(.invalidUTF8, at: position)
            }
            var offset = 2
            while offset < length {
                guard bytes[position &+ offset] & 0xC0 == 0x80 else {
                    throw JSONError(.invalidUTF8, at: position)
                }
                offset &+= 1
            }
            position &+= length
        }
        return position
    }

    private static func endOfEscape(
        _ bytes: Span<UInt8>,
        from start: Int
    ) throws(JSONError) -> Int {
        guard start &+ 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        switch bytes[start &+ 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
            return start &+ 2
        case 0x75:
            guard let unit = JSONEscapes.codeUnit(bytes, at: start) else {
                throw JSONError(.invalidEscape, at: start)
            }
            switch unit {
            case 0xD800...0xDBFF:
                guard let low = JSONEscapes.codeUnit(bytes, at: start &+ 6),
                    (0xDC00...0xDFFF).contains(low)
                else { throw JSONError(.loneSurrogate, at: start) }
                return start &+ 12
            case 0xDC00...0xDFFF:
                throw JSONError(.loneSurrogate, at: start)
            default:
                return start &+ 6
            }
        default:
            throw JSONError(.invalidEscape, at: start)
        }
    }
}
