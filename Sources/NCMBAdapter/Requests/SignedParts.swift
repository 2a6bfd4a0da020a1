package import HatoWire

/// What of a request its signature covers, byte for byte as received (ncmb-rest §3).
///
/// The body is never signed.
package struct SignedParts: Sendable {
    package var method: HTTPMethod
    /// The host asked for, its port included; nil in HTTP/1.0 without a Host field.
    package var authority: ArraySlice<UInt8>?
    /// The raw path.
    package var path: ArraySlice<UInt8>
    /// The raw query without `?`; nil and empty are the same.
    package var query: ArraySlice<UInt8>?
    package var applicationKey: ArraySlice<UInt8>
    /// The timestamp header's raw text.
    package var timestamp: ArraySlice<UInt8>

    package init(
        method: HTTPMethod,
        authority: ArraySlice<UInt8>?,
        path: ArraySlice<UInt8>,
        query: ArraySlice<UInt8>?,
        applicationKey: ArraySlice<UInt8>,
        timestamp: ArraySlice<UInt8>
    ) {
        self.method = method
        self.authority = authority
        self.path = path
        self.query = query
        self.applicationKey = applicationKey
        self.timestamp = timestamp
    }
}

extension SignedParts {
    /// The authority without its port.
    var host: ArraySlice<UInt8>? {
        guard let authority else { return nil }
        // A colon inside `[…]` belongs to an IPv6 address.
        guard let colon = authority.lastIndex(of: 0x3A),
            authority[colon...].firstIndex(of: 0x5D) == nil
        else { return authority }
        return authority[..<colon]
    }

    /// The forms of the path that SDKs sign: as sent (android, unity), decoded (swift), and with the
    /// bytes outside ASCII alone decoded (js).
    ///
    /// One for plain names.
    var pathForms: [ArraySlice<UInt8>] {
        guard path.contains(0x25) else { return [path] }
        var forms = [path]
        for decoded in [PercentCoding.decode(path), PercentCoding.decode(path) { $0 >= 0x80 }]
        where !forms.contains(decoded[...]) {
            forms.append(decoded[...])
        }
        return forms
    }

    /// Appends the documented form of the parameters: the four fixed ones and, for GET only, every
    /// query parameter, sorted by bytes.
    ///
    /// Returns false, with nothing appended, past `parameterLimit`.
    func appendParameters(to message: inout [UInt8]) -> Bool {
        guard let query, !query.isEmpty, method == .get || method == .head else {
            appendFixedParameters(to: &message)
            return true
        }
        guard let parts = queryParts else { return false }
        append(sorted: parts, to: &message)
        return true
    }

    /// The other forms that SDKs sign: ncmb_swift sorts a GET's whole query in as one parameter;
    /// ncmb_kotlin signs the query for every method.
    var otherParameterForms: [[UInt8]] {
        guard let query, !query.isEmpty, let parts = queryParts else { return [] }
        var form: [UInt8] = []
        append(sorted: method == .get || method == .head ? [query] : parts, to: &form)
        return [form]
    }

    /// Query parameters of one signed request.
    static let parameterLimit = 256

    /// The query's parameters; nil past the limit.
    private var queryParts: [ArraySlice<UInt8>]? {
        guard let query else { return [] }
        // Counted before anything is split: sorting thousands would cost more than the whole request.
        guard query.count(where: { $0 == 0x26 }) < SignedParts.parameterLimit else { return nil }
        return query.split(separator: 0x26, omittingEmptySubsequences: false)
    }

    /// Appends the fixed parameters, which are in order by themselves.
    private func appendFixedParameters(to message: inout [UInt8]) {
        JSONWriter.append(
            literal: "SignatureMethod=HmacSHA256&SignatureVersion=2&X-NCMB-Application-Key=",
            to: &message
        )
        message.append(contentsOf: applicationKey)
        JSONWriter.append(literal: "&X-NCMB-Timestamp=", to: &message)
        message.append(contentsOf: timestamp)
    }

    private func append(sorted parts: [ArraySlice<UInt8>], to message: inout [UInt8]) {
        // The built-in parameters begin with lower-case letters: behind all the fixed ones.
        if parts.allSatisfy({ ($0.first ?? 0) > 0x58 }) {
            appendFixedParameters(to: &message)
            let sorted = parts.count == 1 ? parts : parts.sorted(by: SignedParts.precedes)
            for part in sorted {
                message.append(0x26)
                message.append(contentsOf: part)
            }
            return
        }
        let fixed = [
            Array("SignatureMethod=HmacSHA256".utf8)[...],
            Array("SignatureVersion=2".utf8)[...],
            (Array("X-NCMB-Application-Key=".utf8) + applicationKey)[...],
            (Array("X-NCMB-Timestamp=".utf8) + timestamp)[...],
        ]
        let sorted = (fixed + parts).sorted(by: SignedParts.precedes)
        message.append(contentsOf: sorted.joined(separator: CollectionOfOne(0x26)))
    }

    private static func precedes(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        left.withUnsafeBufferPointer { first in
            right.withUnsafeBufferPointer { second in
                var index = 0
                while index < first.count, index < second.count {
                    if first[index] != second[index] { return first[index] < second[index] }
                    index &+= 1
                }
                return first.count < second.count
            }
        }
    }
}
