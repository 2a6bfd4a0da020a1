import HatoWire

/// Bounds on one query (rulings 3, 8).
package struct QueryLimits: Sendable, Hashable {
    /// The greatest `limit`.
    package var objectCount: Int
    /// Length of the filter's JSON.
    package var filterBytes: Int
    /// Conditions in the whole filter.
    package var operatorCount: Int
    /// Filters inside each other.
    package var depth: Int
    /// Elements of one list, such as `$in`'s.
    package var elementCount: Int
    /// Elements of all lists of the filter.
    package var totalElementCount: Int
    /// Patterns (`$regex`) in the whole filter.
    package var patternCount: Int
    /// Of each pattern.
    package var pattern: PatternLimits
    /// Fields to sort by.
    package var orderCount: Int

    package init(
        objectCount: Int = 1_000,
        filterBytes: Int = 65_536,
        operatorCount: Int = 256,
        depth: Int = 32,
        elementCount: Int = 4_096,
        totalElementCount: Int = 8_192,
        patternCount: Int = 8,
        pattern: PatternLimits = PatternLimits(),
        orderCount: Int = 16
    ) {
        self.objectCount = objectCount
        self.filterBytes = filterBytes
        self.operatorCount = operatorCount
        self.depth = depth
        self.elementCount = elementCount
        self.totalElementCount = totalElementCount
        self.patternCount = patternCount
        self.pattern = pattern
        self.orderCount = orderCount
    }
}

extension Query {
    /// Refuses what no evaluator may see.
    ///
    /// Errors: `invalidValue` with `limit`, `skip`, `order`, `where` or a field as subject for a number
    /// out of bounds; `invalidType` with the field as subject for a range over null, a boolean, an
    /// object or an array.
    package func check(_ limits: QueryLimits = QueryLimits()) throws(DomainError) {
        guard (0...limits.objectCount).contains(limit) else {
            throw DomainError(.invalidValue, "limit")
        }
        guard skip >= 0 else { throw DomainError(.invalidValue, "skip") }
        guard order.count <= limits.orderCount else { throw DomainError(.invalidValue, "order") }
        try filter.check(limits)
    }
}

extension Filter {
    /// Refuses a filter past the limits, and ranges that are not defined; errors as `Query.check`.
    package func check(_ limits: QueryLimits = QueryLimits()) throws(DomainError) {
        var size = FilterSize()
        try check(limits, depth: 1, &size)
    }

    private func check(
        _ limits: QueryLimits,
        depth: Int,
        _ size: inout FilterSize
    ) throws(DomainError) {
        guard depth <= limits.depth else { throw FilterSize.refusal }
        switch self {
        case .all(let parts):
            for part in parts { try part.check(limits, depth: depth + 1, &size) }
        case .any(let parts):
            // A choice costs like a condition, even when it is empty.
            try size.addOperator(limits)
            for part in parts { try part.check(limits, depth: depth + 1, &size) }
        case .field(let path, let fieldOperator):
            try size.addOperator(limits)
            try fieldOperator.check(limits, path: path, &size)
        }
    }
}

/// What has been counted of a filter.
private struct FilterSize {
    private var operatorCount = 0
    private var elementCount = 0
    private var patternCount = 0

    static let refusal = DomainError(.invalidValue, "where")

    mutating func addOperator(_ limits: QueryLimits) throws(DomainError) {
        operatorCount += 1
        guard operatorCount <= limits.operatorCount else { throw FilterSize.refusal }
    }

    mutating func addElements(_ count: Int, _ limits: QueryLimits) throws(DomainError) {
        elementCount += count
        guard elementCount <= limits.totalElementCount else { throw FilterSize.refusal }
    }

    mutating func addPattern(_ limits: QueryLimits) throws(DomainError) {
        patternCount += 1
        guard patternCount <= limits.patternCount else { throw Pattern.refusal }
    }
}

extension FieldOperator {
    fileprivate func check(
        _ limits: QueryLimits,
        path: FieldPath,
        _ size: inout FilterSize
    ) throws(DomainError) {
        switch self {
        case .equal, .notEqual, .exists, .near, .within: return
        case .less(let literal), .lessOrEqual(let literal), .greater(let literal),
            .greaterOrEqual(let literal):
            guard RangeTest.isDefined(for: literal) else {
                throw DomainError(.invalidType, path.text)
            }
        case .isIn(let literals), .isNotIn(let literals), .containsAny(let literals),
            .containsNone(let literals), .containsAll(let literals):
            guard literals.count <= limits.elementCount else {
                throw DomainError(.invalidValue, path.text)
            }
            try size.addElements(literals.count, limits)
        case .matches:
            try size.addPattern(limits)
        }
    }
}
