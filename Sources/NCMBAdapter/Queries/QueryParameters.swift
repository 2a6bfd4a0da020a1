import HatoWire
package import ObjectModel

/// The query parameters that some route of this protocol reads, form-decoded.
///
/// `+` and `%20` are spaces. Unknown names are left alone: they never change what is asked. A known
/// name that comes twice is refused, because only one of the two could count.
package struct QueryParameters {
    enum Name: String, CaseIterable {
        case `where`
        case order
        case limit
        case skip
        case count
        case include
        case userName
        case mailAddress
        case password
    }

    /// Few: to look through them costs less than to hash a name.
    private var values: [(name: Name, bytes: [UInt8])] = []

    /// Errors: `invalidValue` with the name of a parameter that comes twice.
    package init(_ query: ArraySlice<UInt8>?) throws(DomainError) {
        guard let query, !query.isEmpty else { return }
        for part in query.split(separator: 0x26) {
            let equals = part.firstIndex(of: 0x3D) ?? part.endIndex
            guard let name = QueryParameters.name(part[..<equals]) else { continue }
            guard self[name] == nil else { throw DomainError(.invalidValue, Text(name.rawValue)) }
            values.append(
                (name, PercentCoding.decode(part[equals...].dropFirst(), plusIsSpace: true))
            )
        }
    }

    subscript(name: Name) -> [UInt8]? { values.first { $0.name == name }?.bytes }

    /// Returns a parameter as text; bytes that are not UTF-8 are refused.
    func text(_ name: Name) throws(DomainError) -> Text? {
        guard let bytes = self[name] else { return nil }
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw DomainError(.invalidFormat, Text(name.rawValue))
        }
        return Text(string)
    }

    private static let names = Name.allCases.map { (name: $0, bytes: Array($0.rawValue.utf8)) }

    private static func name(_ bytes: ArraySlice<UInt8>) -> Name? {
        // Lengths first: a query of thousands of strange names must stay cheap.
        names.first { $0.bytes.count == bytes.count && bytes.elementsEqual($0.bytes) }?.name
    }
}
