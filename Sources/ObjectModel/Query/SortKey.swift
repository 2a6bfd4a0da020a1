import HatoWire

/// Makes the bytes by which a query's order sorts objects: bytewise ascending is the order asked
/// for, whatever directions its terms have.
///
/// A term's value is the whole value of its field, an array as an array; a path through arrays takes
/// the first value it finds; missing sorts as null. Each term's key is an `OrderedKey`, cut; of a
/// descending term all bits are turned. Ties are the caller's: (createDate, row), rulings 10.
package struct SortKey: Sendable {
    private struct Term: Sendable {
        let name: [UInt8]
        let system: SystemField?
        let path: PathLookup
        let isDescending: Bool
    }

    private let terms: [Term]

    package init(_ order: [OrderTerm]) {
        self.terms = order.map { term in
            let first = term.path.components[0]
            return Term(
                name: PathLookup.escaped(first),
                system: SystemField(first),
                path: PathLookup(inner: term.path.components.dropFirst()),
                isDescending: term.isDescending
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
            if let system = term.system {
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
        var cursor = MemberCursor(document)
        while let member = cursor.next(in: document) {
            let name = term.name
            guard CanonicalJSON.areEqual(document.extracting(member.name), name.span) else {
                continue
            }
            return term.path.first(document, at: member.valueStart)
        }
        return nil
    }

    private static func append(_ bytes: Span<UInt8>, at start: Int?, to output: inout [UInt8]) {
        if let start {
            OrderedKey.append(bytes, at: start, to: &output)
        } else {
            output.append(OrderedKeyEncoder.Tag.null)
        }
    }
}
