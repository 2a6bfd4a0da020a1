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

    package var utf8: String.UTF8View { string.utf8 }

    package var description: String { string }

    package static func == (left: Text, right: Text) -> Bool {
        left.string.utf8.count == right.string.utf8.count
            && left.string.utf8.elementsEqual(right.string.utf8)
    }

    package static func < (left: Text, right: Text) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var copy = string
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8(0xFF))
    }
}

extension Text: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self.string = value
    }
}
