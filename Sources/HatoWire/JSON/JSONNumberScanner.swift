/// Finds the end of a JSON number, by the grammar of RFC 8259 6, inside Double's range.
enum JSONNumberScanner {
    /// Digits that can't leave Double's range when there is no exponent.
    private static let safeDigitCount = 300

    static func end(
        _ bytes: Span<UInt8>,
        from start: Int,
        limitBytes: Int
    ) throws(JSONError) -> Int {
        var position = start
        if bytes[position] == 0x2D { position &+= 1 }
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        if bytes[position] == 0x30 {
            position &+= 1
        } else {
            position = try endOfDigits(bytes, from: position)
        }
        if position < bytes.count, bytes[position] == 0x2E {
            position = try endOfDigits(bytes, from: position &+ 1)
        }
        var mayLeaveRange = position &- start > safeDigitCount
        if position < bytes.count, bytes[position] | 0x20 == 0x65 {
            mayLeaveRange = true
            position &+= 1
            if position < bytes.count, bytes[position] == 0x2B || bytes[position] == 0x2D {
                position &+= 1
            }
            position = try endOfDigits(bytes, from: position)
        }
        guard position &- start <= limitBytes else { throw JSONError(.numberTooLong, at: start) }
        if position < bytes.count, (0x30...0x39).contains(bytes[position]) {
            throw JSONError(.invalidNumber, at: position)
        }
        if mayLeaveRange {
            let value = NumberValue(validated: bytes.extracting(start..<position))
            if case .double(let double) = value, !double.isFinite {
                throw JSONError(.numberOutOfRange, at: start)
            }
        }
        return position
    }

    /// Returns the end of at least one digit.
    private static func endOfDigits(
        _ bytes: Span<UInt8>,
        from start: Int
    ) throws(JSONError) -> Int {
        var position = start
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position &+= 1 }
        guard position > start else {
            throw JSONError(
                position < bytes.count ? .invalidNumber : .unexpectedEnd,
                at: position
            )
        }
        return position
    }
}
