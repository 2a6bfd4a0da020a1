import Telemetry

@testable import SQLiteStorage

extension ListSession {
    /// A session of a test, without a cache and among no other answers.
    static func alone(_ snapshot: StoreSnapshot) throws -> ListSession {
        try ListSession(
            snapshot,
            cacheBytes: 0,
            answers: ByteBudget(limit: .max),
            uses: IndexUses(),
            onWay: nil
        )
    }
}
