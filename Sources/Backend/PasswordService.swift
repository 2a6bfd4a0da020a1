package import Cryptography
package import EventLoops
package import HatoWire
package import ObjectModel

/// Hashes and checks passwords on a bounded pool of its own: 15 ms and 19 MiB each.
///
/// Errors of all methods: `unavailable` when the pool's queue is full, `system` without memory.
package struct PasswordService: Sendable {
    /// Past it a password is refused; NCMB names no limit.
    package static let limitBytes = 1_024

    private let pool: WorkerPool
    private let hasher: PasswordHasher
    /// Stands in for the hash of accounts that have none or are not there: a login takes as long.
    private let decoy: Text

    package init(pool: WorkerPool, hasher: PasswordHasher, random: any RandomSource) {
        self.pool = pool
        self.hasher = hasher
        self.decoy = hasher.decoy(random)
    }

    /// Returns the encoded hash of a new password.
    package func hash(_ password: [UInt8]) async throws(DomainError) -> Text {
        try await result { () throws(PasswordHasher.Failure) in
            try hasher.hash(password)
        }
    }

    /// Whether the password is the one behind `hash`; false, after the same time, without a hash.
    package func isRight(_ password: [UInt8], for hash: Text?) async throws(DomainError) -> Bool {
        let isMatch = try await result { () throws(PasswordHasher.Failure) in
            try hasher.isPassword(password, behind: hash ?? decoy)
        }
        return isMatch && hash != nil
    }

    private func result<T: Sendable>(
        _ body: @escaping @Sendable () throws(PasswordHasher.Failure) -> T
    ) async throws(DomainError) -> T {
        let result: Result<T, PasswordHasher.Failure>
        do throws(WorkerPoolFull) {
            result = try await pool.run { _ in Result(catching: body) }
        } catch {
            throw DomainError(.unavailable, cause: "the password queue is full")
        }
        do throws(PasswordHasher.Failure) {
            return try result.get()
        } catch {
            throw DomainError(.system, cause: "argon2 failed with \(error.code)")
        }
    }
}
