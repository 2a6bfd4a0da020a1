import Backend
import Cryptography
import EventLoops
import HatoWire
import ObjectModel
import Testing

@Suite("PasswordService")
struct PasswordServiceTests {
    private static func service(_ pool: WorkerPool) -> PasswordService {
        let cost = PasswordHasher.Cost(memoryKibibytes: 64, passes: 1, lanes: 1)
        return PasswordService(
            pool: pool,
            hasher: PasswordHasher(cost: cost, random: SecureRandom()),
            random: SecureRandom()
        )
    }

    @Test("a hash answers to its password, no hash to none")
    func roundTrip() async throws {
        let pool = try WorkerPool(name: "passwords", threads: 1, queueLimit: 4)
        let service = Self.service(pool)
        let hash = try await service.hash(Array("p@ss word".utf8))
        #expect(try await service.isRight(Array("p@ss word".utf8), for: hash))
        #expect(try await !service.isRight(Array("p@ss".utf8), for: hash))
        #expect(try await !service.isRight(Array("p@ss word".utf8), for: nil))
        #expect(try await !service.isRight([], for: nil))
        pool.close()
    }

    @Test("a queue without room is unavailable, at once")
    func full() async throws {
        let pool = try WorkerPool(name: "passwords", threads: 1, queueLimit: 0)
        let service = Self.service(pool)
        await #expect(throws: DomainError(.unavailable, cause: "the password queue is full")) {
            _ = try await service.hash([1])
        }
        pool.close()
    }
}
