import Backend
import Cryptography
import HatoWire
import ObjectModel
import Testing

@Suite("SessionService")
struct SessionServiceTests {
    private static func application(lifetimeSeconds: Int) -> Application {
        var settings = ApplicationSettings()
        settings.sessionLifetimeSeconds = lifetimeSeconds
        return Application(
            id: "A",
            name: "a",
            applicationKey: "K",
            clientKey: "C",
            relayKey: "R",
            relaySecret: "S",
            settings: settings
        )
    }

    @Test("draws tokens of 25 characters and keeps their hash alone")
    func drafts() {
        let service = SessionService(random: SecureRandom())
        let first = service.draft(.password, for: Self.application(lifetimeSeconds: 86_400))
        let second = service.draft(.anonymous, for: Self.application(lifetimeSeconds: 1))
        #expect(first.token.utf8.count == 25)
        #expect(first.token != second.token)
        #expect(first.session.tokenHash == SHA256.digest(of: first.token.string))
        #expect(first.session.lifetimeMilliseconds == 86_400_000)
        #expect(second.session.lifetimeMilliseconds == 1_000)
    }

    @Test("a lifetime beyond counting is for ever, not a trap")
    func lifetime() {
        let service = SessionService(random: SecureRandom())
        let draft = service.draft(.password, for: Self.application(lifetimeSeconds: .max))
        #expect(draft.session.lifetimeMilliseconds == .max)
    }

    @Test("text that can be no token is refused before it is hashed")
    func tokens() throws {
        #expect(throws: DomainError(.unauthenticated)) { try SessionService.hash(ofToken: []) }
        let limit = [UInt8](repeating: 0x41, count: SessionService.tokenLimitBytes)
        #expect(try SessionService.hash(ofToken: limit).count == 32)
        #expect(throws: DomainError(.unauthenticated)) {
            try SessionService.hash(ofToken: limit + [0x41])
        }
    }
}
