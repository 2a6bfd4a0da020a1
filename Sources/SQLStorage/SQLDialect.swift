/// How one database writes what the others write differently.
package protocol SQLDialect: Sendable {
    /// Stands before a parameter's number, which counts from 1.
    var placeholder: StaticString { get }
    /// Follows a table's name and pins the index of a walk; empty where the planner can't be told.
    func indexHint(_ index: SchemaIndex) -> SQLFragment
    /// Keeps the left side of a join the outer loop, so that its order stays.
    var orderedJoin: SQLFragment { get }
}

/// The indexes that the compiler walks on purpose.
package enum SchemaIndex: Sendable {
    case objectByID
    case objectPublic
}

/// SQLite's way of writing.
package struct SQLiteDialect: SQLDialect {
    package init() {}

    package var placeholder: StaticString { "?" }

    package func indexHint(_ index: SchemaIndex) -> SQLFragment {
        switch index {
        case .objectByID: " INDEXED BY object_id"
        case .objectPublic: " INDEXED BY object_public"
        }
    }

    package var orderedJoin: SQLFragment { " CROSS JOIN " }
}
