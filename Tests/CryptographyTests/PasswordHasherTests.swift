import Cryptography
import HatoWire
import Testing

@Suite("PasswordHasher")
struct PasswordHasherTests {
    private let hasher = PasswordHasher(random: SecureRandom())

    @Test("a hash names its cost and answers to its password only")
    func roundTrip() throws {
        let hash = try hasher.hash(Array("p@ss word".utf8))
        #expect(hash.string.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try hasher.isPassword(Array("p@ss word".utf8), behind: hash))
        #expect(try !hasher.isPassword(Array("p@ss wore".utf8), behind: hash))
        #expect(try !hasher.isPassword([], behind: hash))
    }

    @Test("two hashes of one password differ")
    func salted() throws {
        #expect(try hasher.hash([1, 2, 3]) != hasher.hash([1, 2, 3]))
    }

    @Test("passwords with a zero byte count in full")
    func zeroBytes() throws {
        let cheap = PasswordHasher(
            cost: PasswordHasher.Cost(memoryKibibytes: 64, passes: 1, lanes: 1),
            random: SecureRandom()
        )
        let hash = try cheap.hash([0x61, 0, 0x62])
        #expect(try cheap.isPassword([0x61, 0, 0x62], behind: hash))
        #expect(try !cheap.isPassword([0x61, 0, 0x63], behind: hash))
        #expect(try !cheap.isPassword([0x61], behind: hash))
    }

    @Test("text that is no hash answers to nothing", arguments: ["", "x", "$argon2id$v=19$", "*"])
    func noHash(encoded: String) throws {
        #expect(try !hasher.isPassword([], behind: Text(encoded)))
    }

    @Test("a decoy costs a check and answers to nothing")
    func decoy() throws {
        let decoy = hasher.decoy(SecureRandom())
        let hash = try hasher.hash([1])
        let clock = ContinuousClock()
        let real = try clock.measure { _ = try hasher.isPassword([2], behind: hash) }
        var isRight = true
        let pretended = try clock.measure {
            isRight = try hasher.isPassword([2], behind: decoy)
        }
        #expect(!isRight)
        // A decoy that the library can't read is refused in microseconds.
        #expect(pretended > real / 10)
    }
}
