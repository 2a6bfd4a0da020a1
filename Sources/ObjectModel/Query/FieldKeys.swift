import HatoWire

/// What an index of a field keeps of one object.
package struct FieldKeys: Sendable, Hashable {
    /// The key that the object is ordered by; null's when the field is missing.
    package internal(set) var whole: [UInt8]
    /// Each further key that a condition on the field could meet, distinct and ascending: of the
    /// elements of arrays, and of the other values of a path that passes through arrays.
    package internal(set) var elements: [[UInt8]]
    /// The `GeoCell` keys of GeoPoints among the values and elements, distinct and ascending.
    package internal(set) var places: [[UInt8]]
    /// Whether there are more elements than an index takes; `elements` is cut then.
    package internal(set) var isOverfull: Bool

    /// As many keys of one object as an index takes besides the whole one.
    package static let elementLimit = 1_000
}

/// Reads the keys of one field from canonical documents: what `SortKey` orders by and what
/// `FieldTest` compares with, cut as `OrderedKey` says.
package struct FieldKeyReader: Sendable {
    private let name: [UInt8]
    private let system: SystemField?
    private let path: PathLookup
    private let isPlain: Bool
    private static let usualKeyBytes = 32

    package init(_ path: FieldPath) {
        let first = path.components[0]
        self.name = PathLookup.escaped(first)
        self.system = SystemField(first)
        self.path = PathLookup(inner: path.components.dropFirst())
        self.isPlain = path.components.count == 1
    }

    /// Returns the object's keys; `facts` are looked at only for a system field.
    package func keys(_ document: Span<UInt8>, _ facts: ObjectFacts) -> FieldKeys {
        if let system {
            var value: [UInt8] = []
            system.append(facts, to: &value)
            return keys(value.span, at: 0)
        }
        return keys(document, at: start(in: document))
    }

    private func start(in document: Span<UInt8>) -> Int? {
        var cursor = MemberCursor(document)
        while let member = cursor.next(in: document) {
            if CanonicalJSON.areEqual(document.extracting(member.name), name.span) {
                return member.valueStart
            }
        }
        return nil
    }

    private func keys(_ bytes: Span<UInt8>, at start: Int?) -> FieldKeys {
        var keys = FieldKeys(whole: [], elements: [], places: [], isOverfull: false)
        guard let start, let first = path.first(bytes, at: start) else {
            keys.whole = OrderedKey.null.bytes
            return keys
        }
        keys.whole.reserveCapacity(FieldKeyReader.usualKeyBytes)
        OrderedKey.append(bytes, at: first, to: &keys.whole)
        // A plain value, which nearly every one is, has no other key.
        if isPlain, bytes[first] != 0x5B {
            if let place = FieldKeyReader.place(bytes, at: first) { keys.places = [place] }
            return keys
        }
        collectElements(bytes, at: start, into: &keys)
        return keys
    }

    private func collectElements(_ bytes: Span<UInt8>, at start: Int, into keys: inout FieldKeys) {
        var values: [Int] = []
        _ = path.contains(bytes, at: start) { value in
            values.append(value)
            return false
        }
        var further = Further(whole: keys.whole)
        for value in values {
            further.add(bytes, at: value)
            guard value < bytes.count, bytes[value] == 0x5B else { continue }
            var cursor = ElementCursor(bytes, array: value)
            while !further.isOverfull, let element = cursor.next(in: bytes) {
                further.add(bytes, at: element)
            }
        }
        keys.isOverfull = further.isOverfull
        keys.elements = further.elements.sorted { $0.lexicographicallyPrecedes($1) }
        keys.places = further.places.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func place(_ bytes: Span<UInt8>, at start: Int) -> [UInt8]? {
        GeoPosition(canonical: bytes, at: start).map { GeoCell.key($0) }
    }

    /// The keys besides the whole one.
    private struct Further {
        let whole: [UInt8]
        var elements: Set<[UInt8]> = []
        var places: Set<[UInt8]> = []

        init(whole: [UInt8]) {
            self.whole = whole
        }

        var isOverfull: Bool { elements.count > FieldKeys.elementLimit }

        mutating func add(_ bytes: Span<UInt8>, at value: Int) {
            var key: [UInt8] = []
            OrderedKey.append(bytes, at: value, to: &key)
            if key != whole { elements.insert(key) }
            if let place = FieldKeyReader.place(bytes, at: value) { places.insert(place) }
        }
    }
}
