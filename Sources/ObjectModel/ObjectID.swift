package import HatoWire

/// Ids of objects: sixteen characters that rise with time (architecture §4).
///
/// Seven characters of milliseconds and nine of randomness, in base 62 with digits before upper
/// case before lower case, so that byte order is time order: rising keys are several times cheaper
/// to insert.
package enum ObjectID {
    /// 62^7 milliseconds last until the year 2081; later ones begin again.
    @usableFromInline
    static let timeRange: Int64 = 3_521_614_606_208
    /// 62^9.
    @usableFromInline
    static let randomRange: UInt64 = 13_537_086_546_263_552

    /// Draws an id; `generator` must be cryptographically secure, since ids are hard to guess.
    @inlinable
    package static func draw(
        at moment: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> Text {
        text(
            milliseconds: UInt64(max(0, moment.millisecondsSinceEpoch) % timeRange),
            random: generator.next(upperBound: randomRange)
        )
    }

    /// Whether a text can be an id: `[0-9A-Za-z]{1,64}` (rulings 25).
    package static func isValid(_ text: Text) -> Bool {
        text.withBytes { isValid($0) }
    }

    /// Whether bytes can be an id.
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard (1...64).contains(bytes.count) else { return false }
        for index in 0..<bytes.count {
            switch bytes[index] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: continue
            default: return false
            }
        }
        return true
    }

    @usableFromInline
    static func text(milliseconds: UInt64, random: UInt64) -> Text {
        var bytes = [UInt8](repeating: 0, count: 16)
        var rest = random
        for index in stride(from: 15, through: 7, by: -1) {
            bytes[index] = Base62.digit(Int(rest % 62))
            rest /= 62
        }
        rest = milliseconds
        for index in stride(from: 6, through: 0, by: -1) {
            bytes[index] = Base62.digit(Int(rest % 62))
            rest /= 62
        }
        return Text(utf8: bytes)
    }
}
