package import HatoWire

/// Reads `X-NCMB-Timestamp` in the forms that SDKs send (ncmb-rest §2): with or without
/// milliseconds, its colons percent-encoded or not.
package enum RequestTimestamp {
    /// Returns the moment; nil for other text.
    package static func parse(_ header: ArraySlice<UInt8>) -> Timestamp? {
        guard header.count <= 64 else { return nil }
        var text: [UInt8] = []
        var index = header.startIndex
        while index < header.endIndex {
            if header[index] == 0x25, header.endIndex - index > 2, header[index + 1] == 0x33,
                header[index + 2] | 0x20 == 0x61
            {
                text.append(0x3A)
                index += 3
            } else {
                text.append(header[index])
                index += 1
            }
        }
        return Timestamp(iso: text)
    }
}
