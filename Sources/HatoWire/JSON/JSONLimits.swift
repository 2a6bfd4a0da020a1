/// Bounds on one JSON text; past any of them parsing fails (rulings 8).
package struct JSONLimits: Sendable, Hashable {
    /// Length of the text.
    package var textBytes: Int
    /// Containers inside each other; `[[]]` is 2.
    package var depth: Int
    /// Values and member names in the whole text: what the tape grows with.
    package var entryCount: Int
    /// Members of any one object.
    package var memberCount: Int
    /// Length of one number's text.
    package var numberBytes: Int

    /// Creates limits; `depth` is at most `greatestDepth`, because trees are built by recursion.
    package init(
        textBytes: Int = 10_485_760,
        depth: Int = 32,
        entryCount: Int = 1_000_000,
        memberCount: Int = 10_000,
        numberBytes: Int = 1_024
    ) {
        precondition(
            depth <= JSONLimits.greatestDepth,
            "JSON depth limit over what recursion bears"
        )
        precondition(
            textBytes <= JSONLimits.greatestTextBytes,
            "JSON text limit over the tape's range"
        )
        self.textBytes = textBytes
        self.depth = depth
        self.entryCount = entryCount
        self.memberCount = memberCount
        self.numberBytes = numberBytes
    }

    package static let greatestDepth = 512
    package static let greatestTextBytes = 1 << 30
}
