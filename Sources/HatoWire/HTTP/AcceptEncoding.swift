/// What Accept-Encoding (RFC 9110 12.5.3) says about gzip.
package enum AcceptEncoding {
    /// Whether gzip may be sent and is wanted at least as much as the body as it is.
    ///
    /// Only what the client says counts: without the field nothing is packed, and an element with a
    /// weight that is none counts as weight 0. A coding named twice has its lower weight.
    package static func prefersGzip(_ request: HTTPRequest) -> Bool {
        var gzip: Int?
        var identity: Int?
        var others: Int?
        for value in request.values("accept-encoding") {
            for element in FieldList(value) {
                let (coding, weight) = split(element)
                if coding.equalsIgnoringCase("gzip") || coding.equalsIgnoringCase("x-gzip") {
                    gzip = min(gzip ?? weight, weight)
                } else if coding.equalsIgnoringCase("identity") {
                    identity = min(identity ?? weight, weight)
                } else if coding.elementsEqual("*".utf8) {
                    others = min(others ?? weight, weight)
                }
            }
        }
        let weight = gzip ?? others ?? 0
        return weight > 0 && weight >= identity ?? 0
    }

    /// An element's coding, and its weight in thousandths.
    private static func split(
        _ element: ArraySlice<UInt8>
    ) -> (coding: ArraySlice<UInt8>, weight: Int) {
        guard let semicolon = element.firstIndex(of: HTTPByte.semicolon) else {
            return (element, 1_000)
        }
        let coding = trimmed(element[..<semicolon])
        return (coding, weight(trimmed(element[(semicolon + 1)...])) ?? 0)
    }

    /// `q=` and 0 to 1 with at most three decimals (RFC 9110 12.4.2).
    private static func weight(_ parameter: ArraySlice<UInt8>) -> Int? {
        let digits = parameter.dropFirst(2)
        guard parameter.prefix(2).equalsIgnoringCase("q="), let first = digits.first,
            first == 0x30 || first == 0x31, digits.count <= 5
        else { return nil }
        var weight = Int(first - 0x30) * 1_000
        guard digits.count > 1 else { return weight }
        guard digits.dropFirst().first == 0x2E else { return nil }
        var unit = 100
        for digit in digits.dropFirst(2) {
            guard HTTPByte.isDigit(digit) else { return nil }
            weight += Int(digit - 0x30) * unit
            unit /= 10
        }
        return weight <= 1_000 ? weight : nil
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: HTTPByte.isSpaceOrTab)
        while let last = bytes.last, HTTPByte.isSpaceOrTab(last) { bytes.removeLast() }
        return bytes
    }
}
