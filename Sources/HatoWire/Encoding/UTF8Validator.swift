/// Checks that bytes which come in pieces are UTF-8 (RFC 3629: no surrogates, no overlong forms,
/// nothing above U+10FFFF).
///
/// A code point may lie across pieces; a wrong byte is known at once.
package struct UTF8Validator: Sendable {
    /// Continuation bytes that the code point begun still needs.
    private var needed: UInt8 = 0
    /// What the next continuation byte may be; narrower than 80–BF behind E0, ED, F0 and F4.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    package init() {}

    /// No code point is begun and not whole: text may end here.
    package var isAtBoundary: Bool { needed == 0 }

    /// Takes the next piece; false as soon as one of its bytes can't follow.
    ///
    /// Not to be used on after false.
    package mutating func accept(_ bytes: Span<UInt8>) -> Bool {
        var position = 0
        while position < bytes.count {
            if needed == 0 {
                position = Self.skipWhole(bytes, from: position)
                guard position < bytes.count else { break }
                let byte = bytes[position]
                position &+= 1
                if byte < 0x80 { continue }
                guard begin(byte) else { return false }
            }
            while needed > 0, position < bytes.count {
                let byte = bytes[position]
                guard byte >= lowest, byte <= highest else { return false }
                lowest = 0x80
                highest = 0xBF
                needed &-= 1
                position &+= 1
            }
        }
        return true
    }

    /// Skips runs of ASCII and the plain two- and three-byte forms that lie in `bytes` as a whole.
    ///
    /// Stops at whatever is rarer, wrong or cut: the states above see to that.
    @inline(__always)
    private static func skipWhole(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let end = bytes.count
        var position = start
        while position &+ 8 <= end {
            let word = HTTPByte.word(bytes, at: position)
            if word & 0x8080_8080_8080_8080 == 0 {
                position &+= 8
            } else if word & 0x80 == 0 {
                position &+= (word & 0x8080_8080_8080_8080).trailingZeroBitCount &>> 3
            } else if word & 0xC0C0F0 == 0x8080E0, word & 0x200F != 0, word & 0x200F != 0x200D {
                // 1110xxxx 10xxxxxx 10xxxxxx, neither overlong nor a surrogate.
                position &+= 3
            } else if word & 0xC0E0 == 0x80C0, word & 0x1E != 0 {
                // 110xxxxx 10xxxxxx, not overlong.
                position &+= 2
            } else {
                break
            }
        }
        return position
    }

    /// Says whether the bytes are UTF-8 as a whole.
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        var validator = UTF8Validator()
        return validator.accept(bytes) && validator.isAtBoundary
    }

    /// Takes a leading byte (RFC 3629 4).
    @inline(__always)
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF:
            needed = 1
        case 0xE0:
            needed = 2
            lowest = 0xA0
        case 0xE1...0xEC, 0xEE, 0xEF:
            needed = 2
        case 0xED:
            needed = 2
            highest = 0x9F
        case 0xF0:
            needed = 3
            lowest = 0x90
        case 0xF1...0xF3:
            needed = 3
        case 0xF4:
            needed = 3
            highest = 0x8F
        default:
            return false
        }
        return true
    }
}
