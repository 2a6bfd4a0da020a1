package import HatoWire

/// What the store takes from outside: the time and chance.
package struct StoreEnvironment: Sendable {
    /// The moments of a transaction at which a test makes the disk fail.
    enum CommitMoment: Sendable {
        /// All is written but the commit.
        case beforeCommit
        /// In the commit: nothing is durable.
        case inCommit
        /// In the commit, although it is durable.
        case afterCommit
    }

    /// The wall clock; may jump, the stamps that the store makes never fall.
    package var now: @Sendable () -> Timestamp
    /// Sixty-four bits that nobody can guess.
    package var random: @Sendable () -> UInt64
    /// Nil but in the store's own tests, which can't have a real disk fail at a moment.
    var failure: (@Sendable (CommitMoment) -> SQLiteFailure?)?
    /// Nil but in tests, which hold the building of indexes after a row.
    var building: (@Sendable (Int64) -> Bool)?
    /// Nil but in tests, which count how lists come by their rows.
    var listing: (@Sendable (ListWay) -> Void)?

    package init(
        now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.now = now
        self.random = random
    }

    /// Whether an index whose objects up to `row` are in it may be built on.
    func mayBuild(after row: Int64) -> Bool { building?(row) ?? true }

    func fail(_ moment: CommitMoment) throws(SQLiteFailure) {
        if let failure = failure?(moment) { throw failure }
    }
}

/// The environment's chance as a generator.
struct StoreGenerator: RandomNumberGenerator {
    private let random: @Sendable () -> UInt64

    init(_ environment: StoreEnvironment) {
        self.random = environment.random
    }

    mutating func next() -> UInt64 { random() }
}
