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
    /// Not to be used on then.
    package mutating func accept(_ bytes: Span<UInt8>) -> Bool {
        let raw = bytes.bytes
        let end = bytes.count
        var position = 0
        while position < end {
            if needed == 0 {
                while position &+ 8 <= end {
                    let word = raw.unsafeLoadUnaligned(
                        fromByteOffset: position,
                        as: UInt64.self
                    )
                    if word & 0x8080_8080_8080_8080 != 0 { break }
                    position &+= 8
                }
                guard position < end else { break }
                let byte = bytes[position]
                position &+= 1
                if byte < 0x80 { continue }
                guard begin(byte) else { return false }
            }
            while needed > 0, position < end {
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
