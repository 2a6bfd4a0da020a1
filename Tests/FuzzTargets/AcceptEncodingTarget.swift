import HatoWire

/// What a client says of compressed answers.
///
/// The input is the values of its Accept-Encoding fields, a line each.
enum AcceptEncodingTarget {
    static func check(_ input: [UInt8]) throws {
        let values = input.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            Array($0)
        }
        guard let prefers = prefersGzip(values) else { return }
        let text = String(decoding: input, as: UTF8.self).lowercased()
        if !text.contains("gzip"), !text.contains("*") {
            try hold(!prefers, "gzip for a client that doesn't know it")
        }
        try hold(prefersGzip(values.reversed()) == prefers, "another order of fields tells")
        try hold(prefersGzip(values + [[]]) == prefers, "an empty field tells")
        let shouted = values.map { Array(String(decoding: $0, as: UTF8.self).uppercased().utf8) }
        if input.allSatisfy({ $0 < 0x80 }) {
            try hold(prefersGzip(shouted) == prefers, "capital letters tell")
        }
        try hold(prefersGzip(values + [Array("gzip;q=0".utf8)]) == false, "gzip that was refused")
        if prefers {
            let without = Array("identity;q=0".utf8)
            try hold(prefersGzip(values + [without]) == true, "the plain form goes first")
        }
        // A quote that is open at a field's end goes on in no other.
        guard !input.contains(UInt8(ascii: "\"")) else { return }
        let joined = Array(values.joined(separator: [0x2C]))
        try hold(prefersGzip([joined]) == prefers, "several fields are not one list")
    }

    /// As many fields as an input has lines, and one more.
    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.fieldCount = 4_096
        limits.fieldBytes = 1_048_576
        return limits
    }()

    /// nil: no request has such fields.
    private static func prefersGzip(_ values: [[UInt8]]) -> Bool? {
        var bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
        for value in values {
            bytes += Array("Accept-Encoding: ".utf8) + value + [0x0D, 0x0A]
        }
        bytes += [0x0D, 0x0A]
        var parser = RequestParser(limits: limits)
        var offset = 0
        guard parser.parse(bytes.span, from: &offset) == .request else { return nil }
        return AcceptEncoding.prefersGzip(parser.request)
    }
}
