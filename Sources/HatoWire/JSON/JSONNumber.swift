/// A JSON number as its own text: what a client sent comes back as it was sent.
package struct JSONNumber: Sendable, Hashable {
    /// The number's text, valid by RFC 8259 and inside Double's range.
    package let text: Text

    /// Creates a number from text that a parser has checked.
    package init(validated text: Text) {
        self.text = text
    }

    package init(_ value: Int64) {
        self.text = Text(String(value))
    }
}
