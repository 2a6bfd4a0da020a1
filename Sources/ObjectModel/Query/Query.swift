/// A question to a class: which objects, in which order, which part of them.
package struct Query: Sendable {
    package var className: ClassName
    package var filter: Filter
    package var order: [OrderTerm]
    /// 0…1000.
    package var limit: Int
    /// 0 or more.
    package var skip: Int
    package var wantsCount: Bool

    package init(
        className: ClassName,
        filter: Filter = .all([]),
        order: [OrderTerm] = [],
        limit: Int = 100,
        skip: Int = 0,
        wantsCount: Bool = false
    ) {
        self.className = className
        self.filter = filter
        self.order = order
        self.limit = limit
        self.skip = skip
        self.wantsCount = wantsCount
    }
}

/// One field to sort by.
package struct OrderTerm: Sendable, Hashable {
    package var path: FieldPath
    package var isDescending: Bool

    package init(path: FieldPath, isDescending: Bool) {
        self.path = path
        self.isDescending = isDescending
    }
}

/// The query tree.
///
/// Both evaluators (SQL and the matcher) switch over it without a default.
package indirect enum Filter: Sendable {
    /// Every part holds; an empty list holds always.
    case all([Filter])
    case field(FieldPath, FieldOperator)
}

/// A condition on one field.
package enum FieldOperator: Sendable {
    case equal(Value)
    case notEqual(Value)
    case less(Value)
    case lessOrEqual(Value)
    case greater(Value)
    case greaterOrEqual(Value)
    case isIn([Value])
    case exists(Bool)
}
