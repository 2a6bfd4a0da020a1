import HatoWire

/// Bytes that every canonical document has that meets a filter.
///
/// They are whole strings in their quotes: a string has one canonical form, so an equal one is there
/// byte by byte, as a value or as an element. Numbers, dates and objects have several forms, null may be
/// missing, and a negation asks for what is not there: nothing follows from those. Nor does anything
/// from a choice, or from the system's fields, which are not in the document.
package struct Prefilter: Sendable {
    /// Each has to be found; none: every document may match.
    package let needles: [[UInt8]]

    package init(_ filter: Filter) {
        var needles: [[UInt8]] = []
        Prefilter.collect(filter, &needles)
        self.needles = needles
    }

    private static func collect(_ filter: Filter, _ needles: inout [[UInt8]]) {
        switch filter {
        case .all(let parts):
            for part in parts { collect(part, &needles) }
        case .any: return
        case .field(let path, let fieldOperator):
            guard SystemField(path.components[0]) == nil else { return }
            collect(fieldOperator, &needles)
        }
    }

    private static func collect(_ fieldOperator: FieldOperator, _ needles: inout [[UInt8]]) {
        switch fieldOperator {
        case .equal(let literal): add(literal, &needles)
        case .isIn(let literals):
            if literals.count == 1 { add(literals[0], &needles) }
        case .containsAll(let literals):
            for literal in literals { add(literal, &needles) }
        case .containsAny(let literals):
            if literals.count == 1 { add(literals[0], &needles) }
        case .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isNotIn, .exists,
            .matches, .containsNone, .near, .within:
            return
        }
    }

    private static func add(_ literal: Value, _ needles: inout [[UInt8]]) {
        guard case .string = literal else { return }
        let needle = literal.canonicalBytes
        if !needles.contains(needle) { needles.append(needle) }
    }
}
