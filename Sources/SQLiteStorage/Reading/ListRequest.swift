import ObjectModel

/// A list with all that says what it may show.
struct ListRequest {
    let query: Query
    let record: ClassRecord
    let policy: AccessPolicy
    let limits: StoreLimits

    /// How many matching objects fill the page, those before it included.
    var wantedCount: Int {
        let (count, isHuge) = query.skip.addingReportingOverflow(query.limit)
        return isHuge ? Int.max : count
    }
}
