/// The grammar of `uri-host [ ":" port ]` (RFC 9110 7.2, RFC 3986 3.2), without user information.
enum Authority {
    /// Digits of a port: 65535 has five.
    private static let portDigitCount = 5

    /// Says whether `range` is a host that is not empty, with or without a port.
    static func isValid(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var position = range.lowerBound
        let end = range.upperBound
        guard position < end else { return false }
        let isValidHost =
            bytes[position] == UInt8(ascii: "[")
            ? skipLiteral(bytes, &position, end) : skipName(bytes, &position, end)
        guard isValidHost else { return false }
        guard position < end else { return true }
        guard bytes[position] == HTTPByte.colon else { return false }
        position &+= 1
        guard end &- position <= portDigitCount else { return false }
        while position < end {
            guard HTTPByte.isDigit(bytes[position]) else { return false }
            position &+= 1
        }
        return true
    }

    /// IPv4address or reg-name: at least one character.
    private static func skipName(_ bytes: Span<UInt8>, _ position: inout Int, _ end: Int) -> Bool {
        let start = position
        while position < end {
            if HTTPByte.isRegisteredName(bytes[position]) {
                position &+= 1
            } else if bytes[position] == UInt8(ascii: "%") {
                guard position &+ 2 < end,
                    HTTPByte.hexValue(bytes[position &+ 1]) != nil,
                    HTTPByte.hexValue(bytes[position &+ 2]) != nil
                else { return false }
                position &+= 3
            } else {
                break
            }
        }
        return position > start
    }

    /// `[` IPv6address `]`: its characters, not its groups.
    private static func skipLiteral(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ end: Int
    ) -> Bool {
        position &+= 1
        let start = position
        while position < end, bytes[position] != UInt8(ascii: "]") {
            let byte = bytes[position]
            guard
                HTTPByte.hexValue(byte) != nil || byte == HTTPByte.colon
                    || byte == UInt8(ascii: ".")
            else { return false }
            position &+= 1
        }
        guard position < end, position > start else { return false }
        position &+= 1
        return true
    }
}
