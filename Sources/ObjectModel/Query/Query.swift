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
    /// When set, what sorts is the distance of the field's GeoPoint from here.
    package var origin: GeoPosition?

    package init(path: FieldPath, isDescending: Bool, origin: GeoPosition? = nil) {
        self.path = path
        self.isDescending = isDescending
        self.origin = origin
    }
}

/// The query tree.
///
/// Both evaluators (SQL and the matcher) switch over it without a default.
package indirect enum Filter: Sendable {
    /// Every part holds; an empty list holds always.
    case all([Filter])
    /// At least one part holds; an empty list never does.
    case any([Filter])
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
    case isNotIn([Value])
    case exists(Bool)
    /// A string in which the pattern is found.
    case matches(Pattern)
    /// An array with at least one of these elements.
    case containsAny([Value])
    /// Whatever `containsAny` does not hold for, missing fields included.
    case containsNone([Value])
    /// An array with all of these elements; an empty list never holds.
    case containsAll([Value])
    /// A GeoPoint in the circle.
    case near(GeoCircle)
    /// A GeoPoint in the box.
    case within(GeoBox)
}

extension Filter {
    /// The order of a filter by `near` when none was asked for: the nearest first.
    ///
    /// Only a circle that every object must lie in has one; of several the first counts.
    package var nearestFirst: OrderTerm? {
        switch self {
        case .all(let parts): parts.lazy.compactMap(\.nearestFirst).first
        case .field(let path, .near(let circle)):
            OrderTerm(path: path, isDescending: false, origin: circle.center)
        case .any, .field: nil
        }
    }
}
