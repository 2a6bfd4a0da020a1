/// What a field's value is, in NCMB's words.
package enum FieldType: String, Sendable, CaseIterable {
    case string = "String"
    case number = "Number"
    case boolean = "Boolean"
    case date = "Date"
    case geoPoint = "GeoPoint"
    case pointer = "Pointer"
    case relation = "Relation"
    case object = "Object"
    case array = "Array"
    case null = "Null"

    /// Reads the type off the canonical value at `start`; nil for damaged bytes.
    package init?(canonical bytes: Span<UInt8>, at start: Int) {
        guard start < bytes.count else { return nil }
        switch bytes[start] {
        case 0x22: self = .string
        case 0x5B: self = .array
        case 0x7B: self = FieldType.typed(bytes, at: start)
        case 0x66, 0x74: self = .boolean
        case 0x6E: self = .null
        case 0x2D, 0x30...0x39: self = .number
        default: return nil
        }
    }

    /// A typed object names its type first, and no other object has a member of that name.
    private static func typed(_ bytes: Span<UInt8>, at start: Int) -> FieldType {
        if CanonicalJSON.hasLiteral("{\"__type\":\"Date\",", in: bytes, at: start) { return .date }
        if CanonicalJSON.hasLiteral("{\"__type\":\"GeoPoint\",", in: bytes, at: start) {
            return .geoPoint
        }
        if CanonicalJSON.hasLiteral("{\"__type\":\"Pointer\",", in: bytes, at: start) {
            return .pointer
        }
        if CanonicalJSON.hasLiteral("{\"__type\":\"Relation\",", in: bytes, at: start) {
            return .relation
        }
        return .object
    }
}
