/// Text that compares, orders and hashes by its UTF-8 bytes.
///
/// Swift's `String` is equal under canonical equivalence, so that two different field names or ids
/// could meet in one dictionary slot. Everything that a client can choose is therefore `Text`
/// (rulings 10).
package struct Text: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var string: String

    @inlinable
    package init(_ string: String) {
        self.string = string
    }

    /// Creates text from bytes that are known to be UTF-8; damaged ones are repaired.
    @inlinable
    package init(utf8 bytes: some Collection<UInt8>) {
        self.string = String(decoding: bytes, as: UTF8.self)
    }

    /// Creates text from bytes that are known to be UTF-8; damaged ones are repaired.
    @inlinable
    package init(utf8 bytes: Span<UInt8>) {
        self.string = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    package var utf8: String.UTF8View { string.utf8 }

    package var description: String { string }

    package static func == (left: Text, right: Text) -> Bool {
        // Most texts that meet differ in length, which costs next to nothing to see.
        left.string.utf8.count == right.string.utf8.count
            && left.withBytes { left in right.withBytes { areEqual(left, $0) } }
    }

    package static func < (left: Text, right: Text) -> Bool {
        left.withBytes { left in right.withBytes { precedes(left, $0) } }
    }

    package func hash(into hasher: inout Hasher) {
        withBytes { $0.withUnsafeBytes { hasher.combine(bytes: $0) } }
        hasher.combine(UInt8(0xFF))
    }
}

extension Text {
    /// Calls `body` with the UTF-8 bytes, which are valid only during the call.
    @inlinable
    package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        if let result = string.utf8.withContiguousStorageIfAvailable({ body($0.span) }) {
            return result
        }
        // Bridged strings only, which Linux has none of.
        return body(Array(string.utf8).span)
    }

    /// Whether `condition` holds of the UTF-8 bytes.
    ///
    /// Not generic: across modules the generic form is not specialised, and looks up metadata on each
    /// call (measured: 500 instructions).
    package func withBytes(_ condition: (Span<UInt8>) -> Bool) -> Bool {
        string.utf8.withContiguousStorageIfAvailable { condition($0.span) }
            ?? condition(Array(string.utf8).span)
    }

    /// Appends the UTF-8 bytes.
    package func append(to output: inout [UInt8]) {
        withBytes { bytes in
            bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    private static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count where left[index] != right[index] { return false }
        return true
    }

    private static func precedes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }
}

extension Text: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self.string = value
    }
}
