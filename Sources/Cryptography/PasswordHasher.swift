import CArgon2
package import HatoWire

/// argon2id (RFC 9106) of passwords, as encoded strings `$argon2id$v=19$m=19456,t=2,p=1$…`.
///
/// A hash takes about 15 ms and 19 MiB: never on a loop.
package struct PasswordHasher: Sendable {
    /// How dear a guess is; the defaults are OWASP's for argon2id.
    package struct Cost: Sendable {
        package var memoryKibibytes: UInt32
        package var passes: UInt32
        package var lanes: UInt32

        package init(memoryKibibytes: UInt32 = 19_456, passes: UInt32 = 2, lanes: UInt32 = 1) {
            self.memoryKibibytes = memoryKibibytes
            self.passes = passes
            self.lanes = lanes
        }
    }

    /// Why there is no hash: the library's own number (memory, as a rule).
    package struct Failure: Error, Sendable {
        package let code: Int32
    }

    private static let saltCount = 16
    private static let hashCount = 32

    private let cost: Cost
    private let random: any RandomSource

    package init(cost: Cost = Cost(), random: any RandomSource) {
        self.cost = cost
        self.random = random
    }

    /// Returns the encoded hash with a new salt; any password bytes are legal.
    package func hash(_ password: [UInt8]) throws(Failure) -> Text {
        let salt = random.bytes(PasswordHasher.saltCount)
        let count = argon2_encodedlen(
            cost.passes,
            cost.memoryKibibytes,
            cost.lanes,
            UInt32(PasswordHasher.saltCount),
            UInt32(PasswordHasher.hashCount),
            Argon2_id
        )
        var encoded = [CChar](repeating: 0, count: count)
        let result = argon2id_hash_encoded(
            cost.passes,
            cost.memoryKibibytes,
            cost.lanes,
            password,
            password.count,
            salt,
            salt.count,
            PasswordHasher.hashCount,
            &encoded,
            count
        )
        guard result == ARGON2_OK.rawValue else { throw Failure(code: result) }
        return Text(utf8: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    }

    /// Whether the password is the one behind `encoded`; false for text that is no argon2id hash.
    ///
    /// Errors: the library can't work (memory); that is not a wrong password.
    package func isPassword(_ password: [UInt8], behind encoded: Text) throws(Failure) -> Bool {
        let result = argon2id_verify(encoded.string, password, password.count)
        switch result {
        case ARGON2_OK.rawValue: return true
        case ARGON2_MEMORY_ALLOCATION_ERROR.rawValue, ARGON2_THREAD_FAIL.rawValue:
            throw Failure(code: result)
        default: return false
        }
    }

    /// Returns an encoded hash that no known password answers to, made without hashing.
    ///
    /// To check a password against it takes as long as against a real one.
    package func decoy(_ random: any RandomSource) -> Text {
        let cost = "m=\(cost.memoryKibibytes),t=\(cost.passes),p=\(cost.lanes)"
        // A token's letters are base64; 22 and 43 of them spell 16 and 32 bytes, when the last one
        // leaves the unused bits empty, as `A` does.
        let salt = random.token(21).string + "A"
        let hash = random.token(42).string + "A"
        return Text("$argon2id$v=19$\(cost)$\(salt)$\(hash)")
    }
}
