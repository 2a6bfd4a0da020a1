/// A JSON number as its own text: what a client sent comes back as it was sent.
///
/// Equal and hashed by the text; what the number means and how numbers compare is `value`.
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

    /// Creates a number with the shortest text that means `value`; nil when it is not finite.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.text = Text(value.description)
    }

    /// The number that the text means.
    package var value: NumberValue {
        text.withBytes { NumberValue(validated: $0) }
    }

    /// Returns the sum, as an integer if both are, else as the nearest Double.
    ///
    /// nil when an int64 overflows or the Double would be infinite.
    package func adding(_ other: JSONNumber) -> JSONNumber? {
        switch (value, other.value) {
        case (.integer(let left), .integer(let right)):
            let (sum, overflows) = left.addingReportingOverflow(right)
            return overflows ? nil : JSONNumber(sum)
        case (.integer(let left), .double(let right)):
            return JSONNumber(Double(left) + right)
        case (.double(let left), .integer(let right)):
            return JSONNumber(left + Double(right))
        case (.double(let left), .double(let right)):
            return JSONNumber(left + right)
        }
    }
}
