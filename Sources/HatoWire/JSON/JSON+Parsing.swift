extension JSON {
    /// Parses one JSON text into a tree; what is refused says `JSONTape.parse`.
    package static func parse(
        _ bytes: Span<UInt8>,
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSON {
        var tape = JSONTape()
        try tape.parse(bytes, limits: limits)
        return tape.tree(0, in: bytes)
    }

    package static func parse(
        _ bytes: [UInt8],
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSON {
        try parse(bytes.span, limits: limits)
    }

    package static func parse(
        _ bytes: ArraySlice<UInt8>,
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSON {
        try parse(bytes.span, limits: limits)
    }

    package static func parse(
        _ text: Text,
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSON {
        try parse(Array(text.utf8), limits: limits)
    }
}
