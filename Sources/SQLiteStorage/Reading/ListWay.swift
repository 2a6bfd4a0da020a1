import SQLStorage

/// How a list came by the rows of its page or of its count.
enum ListWay: Sendable {
    case rows(ListPlanner.Compiler.Walk)
    case place(PlaceWalk)

    /// The index that helped; nil when none did.
    var index: FieldIndex? {
        switch self {
        case .place(let walk): walk.index
        case .rows(.keys(let walk)): walk.index
        case .rows(.ordered(let walk)): walk.index
        case .rows(.scan), .rows(.visible), .rows(.ids): nil
        }
    }
}
