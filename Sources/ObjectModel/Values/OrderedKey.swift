import HatoWire

/// The bytes by which values compare: index, order, uniqueness and matcher all use them.
///
/// Byte order of keys is the order of values (rulings 10):
/// null < numbers < strings < objects < arrays < booleans < dates. One tag byte, then
/// - number: the nearest Double with its sign and order made plain (8 bytes, big-endian); where Doubles
///   are further apart than 1, two bytes more say how far an integer is from that Double;
/// - string: UTF-8, NUL as `00 FF`, ended by `00 01`;
/// - object: its members sorted by name, each the name as a string and the value, ended by `00`;
/// - array: its elements, ended by `00`;
/// - boolean: one byte; date: milliseconds (8 bytes).
///
/// No key is the beginning of another, so keys can stand behind each other; a cut key is as long as
/// the limit. Two values are equal exactly when their uncut keys are.
package struct OrderedKey: Hashable, Comparable, Sendable {
    /// Keys of index and order are cut here; ties are broken by others (rulings 10).
    package static let limitBytes = 1_024

    package let bytes: [UInt8]
    /// Whether the value's whole key is longer; unique fields refuse such values.
    package let isCut: Bool

    /// Creates the key of the canonical value at `start`.
    package init(canonical bytes: Span<UInt8>, at start: Int = 0) {
        var output: [UInt8] = []
        self.isCut = OrderedKey.append(bytes, at: start, to: &output)
        self.bytes = output
    }

    package init(_ value: Value) {
        self.init(canonical: value.canonicalBytes.span)
    }

    /// The key of null, and of a field that is missing.
    package static let null = OrderedKey(Value.null)

    package static func < (left: OrderedKey, right: OrderedKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// Returns the moment whose key this is; nil for a key of another type, or a part of one.
    static func date(_ key: [UInt8]) -> Timestamp? {
        guard key.count == 9, key[0] == OrderedKeyEncoder.Tag.date else { return nil }
        let biased = key.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Timestamp(millisecondsSinceEpoch: Int64(bitPattern: biased ^ 1 << 63))
    }

    /// Appends the key of the canonical value at `start`, cut; returns whether it was cut.
    @discardableResult
    package static func append(
        _ bytes: Span<UInt8>,
        at start: Int,
        to output: inout [UInt8]
    ) -> Bool {
        let base = output.count
        let encoder = OrderedKeyEncoder(limit: base + limitBytes)
        encoder.append(bytes, at: start, depth: 0, to: &output)
        guard output.count > base + limitBytes else { return false }
        output.removeSubrange((base + limitBytes)...)
        return true
    }

    /// Returns the uncut key of the canonical value at `start`.
    package static func whole(_ bytes: Span<UInt8>, at start: Int = 0) -> [UInt8] {
        var output: [UInt8] = []
        appendWhole(bytes, at: start, to: &output)
        return output
    }

    /// Returns a value's uncut key.
    package static func whole(_ value: Value) -> [UInt8] {
        let canonical = value.canonicalBytes
        return whole(canonical.span)
    }

    /// Appends the uncut key of the canonical value at `start`.
    package static func appendWhole(
        _ bytes: Span<UInt8>,
        at start: Int,
        to output: inout [UInt8]
    ) {
        let encoder = OrderedKeyEncoder(limit: Int.max)
        encoder.append(bytes, at: start, depth: 0, to: &output)
    }
}
