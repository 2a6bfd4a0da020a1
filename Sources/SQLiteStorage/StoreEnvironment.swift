package import HatoWire

/// What the store takes from outside: the time and chance.
package struct StoreEnvironment: Sendable {
    /// The wall clock; may jump, the stamps that the store makes never fall.
    package var now: @Sendable () -> Timestamp
    /// Sixty-four bits that nobody can guess.
    package var random: @Sendable () -> UInt64

    package init(
        now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.now = now
        self.random = random
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
