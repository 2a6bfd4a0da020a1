import HatoWire

/// Finds a path's values in a canonical document.
///
/// A path passes through objects, and through the objects in arrays, each on its own; elements that
/// are no objects, arrays in arrays and Dates have nothing inside. So a path may find several
/// values; one that finds none is missing (rulings 10).
struct PathLookup: Sendable {
    /// The components behind the first, escaped as documents have them.
    private let inner: [[UInt8]]

    init(inner components: some Sequence<Text>) {
        self.inner = components.map(PathLookup.escaped)
    }

    static func escaped(_ component: Text) -> [UInt8] {
        var output: [UInt8] = []
        JSONWriter.append(escaped: component, to: &output)
        return output
    }

    /// Whether `isMet` says yes to the start of one of the values; `start` is that of the first
    /// component's value.
    func contains(
        _ bytes: Span<UInt8>,
        at start: Int,
        depth: Int = 0,
        _ isMet: (Int) -> Bool
    ) -> Bool {
        guard depth < inner.count else { return isMet(start) }
        guard start < bytes.count else { return false }
        switch bytes[start] {
        case 0x7B:
            guard let value = member(inner[depth], in: bytes, object: start) else { return false }
            return contains(bytes, at: value, depth: depth &+ 1, isMet)
        case 0x5B:
            var cursor = ElementCursor(bytes, array: start)
            while let element = cursor.next(in: bytes) {
                guard let value = member(inner[depth], in: bytes, object: element) else { continue }
                if contains(bytes, at: value, depth: depth &+ 1, isMet) { return true }
            }
            return false
        default:
            return false
        }
    }

    /// Returns the start of the first value in the document's order.
    func first(_ bytes: Span<UInt8>, at start: Int) -> Int? {
        var found: Int?
        _ = contains(bytes, at: start) { value in
            found = value
            return true
        }
        return found
    }

    private func member(_ name: [UInt8], in bytes: Span<UInt8>, object start: Int) -> Int? {
        guard !CanonicalJSON.hasLiteral(CanonicalJSON.datePrefix, in: bytes, at: start) else {
            return nil
        }
        var cursor = MemberCursor(bytes, object: start)
        while let member = cursor.next(in: bytes) {
            let isWanted =
                member.name.count == name.count
                && CanonicalJSON.areEqual(bytes.extracting(member.name), name.span)
            if isWanted { return member.valueStart }
        }
        return nil
    }
}
