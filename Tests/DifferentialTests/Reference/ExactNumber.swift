import ObjectModel
import HatoWire

/// A number as sign · significand · 2^exponent, which holds every int64 and every Double exactly.
///
/// The significand's highest bit is set (shifting left loses nothing, the exponent makes up for
/// it), so that of two numbers with one sign the one with the greater exponent is greater, then the
/// one with the greater significand.
struct ExactNumber {
    /// −1, 0 or 1; zero has no other parts, so that −0 is 0.
    private var sign = 0
    private var exponent = 0
    private var significand: UInt64 = 0

    /// An integer text that fits is an int64, any other number the nearest Double (rulings 10).
    init(_ number: JSONNumber) {
        if let integer = Int64(number.text.string) {
            self.init(isNegative: integer < 0, integer.magnitude, exponent: 0)
            return
        }
        let double = Double(number.text.string) ?? 0
        guard double != 0 else {
            self.init(isNegative: false, 0, exponent: 0)
            return
        }
        // 1.f · 2^e, and 1.f · 2^52 is an integer below 2^53.
        let scaled = UInt64(double.magnitude.significand * 0x1p52)
        self.init(isNegative: double < 0, scaled, exponent: Int(double.exponent) - 52)
    }

    private init(isNegative: Bool, _ magnitude: UInt64, exponent: Int) {
        guard magnitude != 0 else { return }
        let shift = magnitude.leadingZeroBitCount
        sign = isNegative ? -1 : 1
        significand = magnitude << UInt64(shift)
        self.exponent = exponent - shift
    }

    /// Returns −1, 0 or 1 when `self` is less, equal or greater.
    func order(_ other: ExactNumber) -> Int {
        if sign != other.sign { return sign < other.sign ? -1 : 1 }
        if exponent != other.exponent { return exponent < other.exponent ? -sign : sign }
        if significand != other.significand {
            return significand < other.significand ? -sign : sign
        }
        return 0
    }
}
