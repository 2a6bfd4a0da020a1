package import Cryptography
package import HatoWire
package import ObjectModel

/// Makes session tokens and finds out who holds one.
///
/// A token leaves the server once, in the answer to a sign-in; the store keeps its SHA-256.
package struct SessionService: Sendable {
    /// Characters of a token: NCMB's 25 (149 bits).
    package static let tokenCount = 25
    /// No token of ours is longer; longer ones are not hashed.
    package static let tokenLimitBytes = 256

    /// A session before it is stored, with the token that opens it.
    package struct Draft: Sendable {
        package let token: Text
        package let session: NewSession
    }

    private let random: any RandomSource

    package init(random: any RandomSource) {
        self.random = random
    }

    /// Draws a token for a session of this kind.
    package func draft(_ kind: NewSession.Kind, for application: Application) -> Draft {
        let token = random.token(SessionService.tokenCount)
        let lifetime = Int64(application.settings.sessionLifetimeSeconds)
            .multipliedReportingOverflow(by: 1000)
        return Draft(
            token: token,
            session: NewSession(
                tokenHash: SHA256.digest(of: token.string),
                kind: kind,
                lifetimeMilliseconds: lifetime.overflow ? .max : lifetime.partialValue
            )
        )
    }

    /// Returns who holds the token.
    ///
    /// Errors: `unauthenticated` when no session has it, or the session is over.
    package func principal(
        tokenHash: [UInt8],
        reader: any ObjectReader,
        now: Timestamp
    ) throws(DomainError) -> Principal {
        Principal(userID: try session(tokenHash: tokenHash, reader: reader, now: now).userID)
    }

    /// Returns the session that the token opens.
    ///
    /// Errors: as `principal`.
    package func session(
        tokenHash: [UInt8],
        reader: any ObjectReader,
        now: Timestamp
    ) throws(DomainError) -> SessionRecord {
        guard let session = try reader.session(tokenHash: tokenHash, now: now) else {
            throw DomainError(.unauthenticated)
        }
        return session
    }

    /// Returns what the store keeps of a token.
    ///
    /// Errors: `unauthenticated` for a text that can be no token.
    package static func hash(ofToken token: [UInt8]) throws(DomainError) -> [UInt8] {
        guard !token.isEmpty, token.count <= tokenLimitBytes else {
            throw DomainError(.unauthenticated)
        }
        return SHA256.digest(of: token)
    }
}
