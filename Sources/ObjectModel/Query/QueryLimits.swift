import HatoWire

/// Bounds on one query (rulings 3, 8).
package struct QueryLimits: Sendable, Hashable {
    /// The greatest `limit`.
    package var objectCount: Int
    /// Conditions in the whole filter.
    package var operatorCount: Int
    /// Filters inside each other.
    package var depth: Int
    /// Elements of one `$in`.
    package var elementCount: Int
    /// Fields to sort by.
    package var orderCount: Int

    package init(
        objectCount: Int = 1_000,
        operatorCount: Int = 256,
        depth: Int = 32,
        elementCount: Int = 4_096,
        orderCount: Int = 16
    ) {
        self.objectCount = objectCount
        self.operatorCount = operatorCount
        self.depth = depth
        self.elementCount = elementCount
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
        var operatorCount = 0
        try check(limits, depth: 1, &operatorCount)
    }

    private func check(
        _ limits: QueryLimits,
        depth: Int,
        _ operatorCount: inout Int
    ) throws(DomainError) {
        operatorCount += 1
        guard depth <= limits.depth, operatorCount <= limits.operatorCount else {
            throw DomainError(.invalidValue, "where")
        }
        switch self {
        case .all(let parts):
            operatorCount -= 1
            for part in parts { try part.check(limits, depth: depth + 1, &operatorCount) }
        case .field(let path, let fieldOperator):
            try fieldOperator.check(limits, path: path)
        }
    }
}

extension FieldOperator {
    fileprivate func check(_ limits: QueryLimits, path: FieldPath) throws(DomainError) {
        switch self {
        case .equal, .notEqual, .exists: return
        case .less(let literal), .lessOrEqual(let literal), .greater(let literal),
            .greaterOrEqual(let literal):
            guard RangeTest.isDefined(for: literal) else {
                throw DomainError(.invalidType, path.text)
            }
        case .isIn(let literals):
            guard literals.count <= limits.elementCount else {
                throw DomainError(.invalidValue, path.text)
            }
        }
    }
}
