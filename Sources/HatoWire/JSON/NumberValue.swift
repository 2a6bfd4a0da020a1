/// What a JSON number means.
///
/// An integer text that fits is an int64, any other number the nearest
/// Double (rulings 10). The two compare exactly; −0 is 0.
package enum NumberValue: Sendable {
    case integer(Int64)
    /// Finite when it comes from a parsed number.
    case double(Double)
}

extension NumberValue {
    /// Reads a number whose grammar has been checked; bytes that are no number are 0.
    package init(validated bytes: Span<UInt8>) {
        var position = 0
        let isNegative = bytes.count > 0 && bytes[0] == 0x2D
        if isNegative { position = 1 }
        let firstDigit = position
        var significand: UInt64 = 0
        while position < bytes.count, bytes[position] &- 0x30 < 10, position &- firstDigit < 19 {
            significand = significand &* 10 &+ UInt64(bytes[position] &- 0x30)
            position &+= 1
        }
        if position == bytes.count, let integer = NumberValue.signed(significand, isNegative) {
            self = .integer(integer)
        } else {
            self = .double(NumberValue.double(bytes, isNegative: isNegative))
        }
    }

    private static func signed(_ magnitude: UInt64, _ isNegative: Bool) -> Int64? {
        if magnitude <= UInt64(Int64.max) {
            return isNegative ? 0 &- Int64(magnitude) : Int64(magnitude)
        }
        return isNegative && magnitude == UInt64(Int64.max) &+ 1 ? Int64.min : nil
    }

    /// Returns the nearest Double: exactly from short decimals (both the significand and the power
    /// of ten are then exact, so that one division or product rounds once), otherwise by the
    /// standard library.
    private static func double(_ bytes: Span<UInt8>, isNegative: Bool) -> Double {
        var position = isNegative ? 1 : 0
        var significand: UInt64 = 0
        var digitCount = 0
        var fractionCount = 0
        var isFraction = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == 0x2E {
                isFraction = true
            } else if byte &- 0x30 < 10 {
                significand = significand &* 10 &+ UInt64(byte &- 0x30)
                digitCount &+= 1
                if isFraction { fractionCount &+= 1 }
                if digitCount > 15 { return parse(bytes) }
            } else {
                return parse(bytes)
            }
            position &+= 1
        }
        let magnitude = Double(significand) / powersOfTen[fractionCount]
        return isNegative ? -magnitude : magnitude
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    private static func parse(_ bytes: Span<UInt8>) -> Double {
        bytes.withUnsafeBufferPointer { Double(String(decoding: $0, as: UTF8.self)) ?? 0 }
    }
}

extension NumberValue: Comparable {
    package static func == (left: NumberValue, right: NumberValue) -> Bool {
        left.order(against: right) == 0
    }

    package static func < (left: NumberValue, right: NumberValue) -> Bool {
        left.order(against: right) < 0
    }

    /// Returns a negative number, 0 or a positive one when `self` is less, equal or greater.
    package func order(against other: NumberValue) -> Int {
        switch (self, other) {
        case (.integer(let left), .integer(let right)):
            left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)):
            left < right ? -1 : left > right ? 1 : 0
        case (.integer(let left), .double(let right)):
            NumberValue.order(left, against: right)
        case (.double(let left), .integer(let right)):
            0 &- NumberValue.order(right, against: left)
        }
    }

    /// Compares without rounding the integer.
    private static func order(_ integer: Int64, against double: Double) -> Int {
        // 2^63 is a Double, Int64.max is not. Inside these bounds the conversion can't trap.
        if !(double < 0x1p63) { return -1 }
        if double < -0x1p63 { return 1 }
        let whole = Int64(double)
        if integer != whole { return integer < whole ? -1 : 1 }
        let rest = double - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }
}
