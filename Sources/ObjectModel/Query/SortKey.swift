import HatoWire

/// Makes the bytes by which a query's order sorts objects: bytewise ascending is the order asked
/// for, whatever directions its terms have.
///
/// A term's value is the whole value of its field, an array as an array; a path through arrays takes
/// the first value it finds; missing sorts as null. A term with an origin sorts by distance in
/// radians, by that of the nearest GeoPoint where there are several; missing comes last. Each term's key is an `OrderedKey`, cut; of a
/// descending term all bits are turned. Ties are the caller's: (createDate, row), rulings 10.
package struct SortKey: Sendable {
    private struct Term: Sendable {
        let name: [UInt8]
        let system: SystemField?
        let path: PathLookup
        let isDescending: Bool
        let origin: GeoPosition?
    }

    private let terms: [Term]

    package init(_ order: [OrderTerm]) {
        self.terms = order.map { term in
            let first = term.path.components[0]
            return Term(
                name: PathLookup.escaped(first),
                system: SystemField(first),
                path: PathLookup(inner: term.path.components.dropFirst()),
                isDescending: term.isDescending,
                origin: term.origin
            )
        }
    }

    /// Appends the object's sort key.
    package func append(
        _ document: Span<UInt8>,
        _ facts: ObjectFacts,
        to output: inout [UInt8]
    ) {
        for term in terms {
            let start = output.count
            if let origin = term.origin {
                let value = SortKey.member(term.name, in: document)
                let distance = value.flatMap {
                    SortKey.distance(document, at: $0, path: term.path, from: origin)
                }
                SortKey.append(distance: distance, to: &output)
            } else if let system = term.system {
                var value: [UInt8] = []
                system.append(facts, to: &value)
                SortKey.append(value.span, at: term.path.first(value.span, at: 0), to: &output)
            } else {
                let value = SortKey.value(of: term, in: document)
                SortKey.append(document, at: value, to: &output)
            }
            if term.isDescending {
                for index in start..<output.count { output[index] = ~output[index] }
            }
        }
    }

    private static func value(of term: Term, in document: Span<UInt8>) -> Int? {
        member(term.name, in: document).flatMap { term.path.first(document, at: $0) }
    }

    private static func member(_ name: [UInt8], in document: Span<UInt8>) -> Int? {
        var cursor = MemberCursor(document)
        while let member = cursor.next(in: document) {
            if CanonicalJSON.areEqual(document.extracting(member.name), name.span) {
                return member.valueStart
            }
        }
        return nil
    }

    /// Returns how far the nearest of the path's GeoPoints is; elements of arrays count.
    private static func distance(
        _ document: Span<UInt8>,
        at start: Int,
        path: PathLookup,
        from origin: GeoPosition
    ) -> Double? {
        var nearest: Double?
        _ = path.contains(document, at: start) { value in
            SortKey.look(document, at: value, from: origin, &nearest)
            var cursor = ElementCursor(document, array: value)
            while let element = cursor.next(in: document) {
                SortKey.look(document, at: element, from: origin, &nearest)
            }
            return false
        }
        return nearest
    }

    private static func look(
        _ document: Span<UInt8>,
        at start: Int,
        from origin: GeoPosition,
        _ nearest: inout Double?
    ) {
        guard let place = GeoPosition(canonical: document, at: start) else { return }
        let distance = origin.radians(to: place)
        nearest = min(nearest ?? distance, distance)
    }

    /// What is nowhere comes behind all distances.
    private static func append(distance: Double?, to output: inout [UInt8]) {
        guard let distance else {
            output.append(OrderedKeyEncoder.Tag.date)
            return
        }
        OrderedKeyEncoder.append(.double(distance), to: &output)
    }

    private static func append(_ bytes: Span<UInt8>, at start: Int?, to output: inout [UInt8]) {
        if let start {
            OrderedKey.append(bytes, at: start, to: &output)
        } else {
            output.append(OrderedKeyEncoder.Tag.null)
        }
    }
}
