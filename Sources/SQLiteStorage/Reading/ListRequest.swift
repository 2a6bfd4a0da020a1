import ObjectModel

/// A list with all that says what it may show.
struct ListRequest {
    let query: Query
    let record: ClassRecord
    let policy: AccessPolicy
    let limits: StoreLimits
    /// Whether its objects are users: some have fields that stand in no document.
    let isOfUsers: Bool

    init(_ query: Query, record: ClassRecord, policy: AccessPolicy, limits: StoreLimits) {
        self.query = query
        self.record = record
        self.policy = policy
        self.limits = limits
        self.isOfUsers = query.className == .user
    }

    /// How many matching objects fill the page, those before it included.
    var wantedCount: Int {
        let (count, isHuge) = query.skip.addingReportingOverflow(query.limit)
        return isHuge ? Int.max : count
    }
}
