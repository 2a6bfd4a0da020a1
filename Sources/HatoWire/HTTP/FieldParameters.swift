/// A field's value of the form `value; name=token; name="quoted"` (RFC 9110 5.6.6), read leniently.
struct FieldParameters: Sendable {
    /// What stands before the first parameter, in lower case.
    let first: [UInt8]
    /// The names in lower case; of one that comes twice the first counts.
    private var parameters: [(name: [UInt8], value: [UInt8])] = []

    init(_ value: [UInt8]) {
        var rest = value[...]
        first = FieldParameters.lowercased(FieldParameters.take(&rest, until: HTTPByte.semicolon))
        while rest.popFirst() != nil {
            let name = FieldParameters.lowercased(
                FieldParameters.take(&rest, until: HTTPByte.equals, HTTPByte.semicolon)
            )
            guard rest.first == HTTPByte.equals else { continue }
            rest = rest.dropFirst().drop { HTTPByte.isSpaceOrTab($0) }
            if rest.first == HTTPByte.quote {
                parameters.append((name, FieldParameters.takeQuoted(&rest)))
                _ = FieldParameters.take(&rest, until: HTTPByte.semicolon)
            } else {
                let value = FieldParameters.take(&rest, until: HTTPByte.semicolon)
                parameters.append((name, Array(value)))
            }
        }
    }

    subscript(name: String) -> [UInt8]? {
        parameters.first { $0.name.elementsEqual(name.utf8) }?.value
    }

    /// Takes what stands before one of `ends`, without the white space around it.
    private static func take(
        _ rest: inout ArraySlice<UInt8>,
        until ends: UInt8...
    ) -> ArraySlice<UInt8> {
        let end = rest.firstIndex { ends.contains($0) } ?? rest.endIndex
        var taken = rest[..<end].drop { HTTPByte.isSpaceOrTab($0) }
        while let last = taken.last, HTTPByte.isSpaceOrTab(last) { taken.removeLast() }
        rest = rest[end...]
        return taken
    }

    /// Takes a quoted string; a backslash stands for the quote or backslash behind it, and else for
    /// itself, because old clients send paths.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != HTTPByte.quote {
            if byte == HTTPByte.backslash, let next = rest.first,
                next == HTTPByte.quote || next == HTTPByte.backslash
            {
                value.append(next)
                rest = rest.dropFirst()
            } else {
                value.append(byte)
            }
        }
        return value
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
