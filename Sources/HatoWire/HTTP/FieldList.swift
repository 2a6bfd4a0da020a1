/// The comma-separated elements of a field value (RFC 9110 5.6.1), white space and empty elements
/// taken away.
///
/// Quoted strings are not known here: for fields whose elements are tokens.
package struct FieldList: Sequence, IteratorProtocol {
    private let bytes: ArraySlice<UInt8>
    private var position = 0

    package init(_ value: ArraySlice<UInt8>) {
        bytes = value
    }

    package mutating func next() -> ArraySlice<UInt8>? {
        var next = position
        let element = FieldList.next(bytes.span, &next, bytes.count)
        position = next
        return element.map { bytes.dropFirst($0.lowerBound).prefix($0.count) }
    }

    /// Returns the next element of the list in `bytes[position..<end]` and moves behind it.
    static func next(_ bytes: Span<UInt8>, _ position: inout Int, _ end: Int) -> Range<Int>? {
        while position < end {
            var start = position
            while position < end, bytes[position] != HTTPByte.comma { position &+= 1 }
            var stop = position
            if position < end { position &+= 1 }
            while start < stop, HTTPByte.isSpaceOrTab(bytes[start]) { start &+= 1 }
            while stop > start, HTTPByte.isSpaceOrTab(bytes[stop &- 1]) { stop &-= 1 }
            if start < stop { return start..<stop }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Says whether these bytes, `A`–`Z` taken as `a`–`z`, are `text`, which is lowercase ASCII.
    package func equalsIgnoringCase(_ text: StaticString) -> Bool {
        HTTPByte.equalIgnoringCase(span, 0..<count, text)
    }
}
