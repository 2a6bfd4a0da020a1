import HatoWire
package import ObjectModel

/// What the compiler must know of a list's order.
package struct ListOrder: Sendable {
    /// Whether the class's rows already lie in this order.
    ///
    /// Dates never decrease within an application, and rows rise with them (rulings 11).
    package let followsRows: Bool
    /// The direction of the last term, which ties by (created, row) follow: what walking an index
    /// gives.
    package let isDescending: Bool

    /// Reads the query's order; none is newest first.
    package init(_ order: [OrderTerm]) {
        let first = order.first?.path.components
        let byDate = order.count == 1 && first == ["createDate"] && order[0].origin == nil
        followsRows = order.isEmpty || byDate
        isDescending = order.last?.isDescending ?? true
    }
}
