package import Backend
package import HatoWire
package import ObjectModel

/// Finds out whose application a request is for, whether it may say so, and who is signed in.
///
/// Synchronous, on the loop: the application and its key schedule are in memory, the session is a
/// point read on the loop's own connection.
package struct Authenticator: Sendable {
    /// What the routes know of a request's sender.
    package struct Caller: Sendable {
        package let application: Application
        package let principal: Principal
        /// Of the session that speaks; nil for strangers.
        package let sessionTokenHash: [UInt8]?
    }

    /// What a route makes of a session header.
    package enum SessionUse: Sendable {
        /// A session that is given must be good, also where none is needed.
        case checked
        /// SDKs send a stale session along when they sign in: it is not looked at.
        case ignored
    }

    /// No application has a longer key.
    static let applicationKeyLimitBytes = 128

    private let services: BackendServices
    private let verifier: SignatureVerifier

    package init(services: BackendServices, verifier: SignatureVerifier) {
        self.services = services
        self.verifier = verifier
    }

    /// Returns who sends the request.
    ///
    /// Errors: E401001 (no key, wrong signature, session unknown or over), E404005.
    package func caller(
        of request: HTTPRequest,
        session: SessionUse,
        loopIndex: Int,
        now: Timestamp
    ) throws(NCMBError) -> Caller {
        let credentials = RequestCredentials(request)
        let unauthenticated = NCMBError(DomainError(.unauthenticated))
        guard !credentials.isAmbiguous, let key = credentials.applicationKey, !key.isEmpty else {
            throw unauthenticated
        }
        guard key.count <= Authenticator.applicationKeyLimitBytes,
            let application = services.applications.application(applicationKey: Text(utf8: key))
        else { throw .noApplication }
        guard isSigned(request, credentials, key, application, now) else { throw unauthenticated }
        guard session == .checked, let token = credentials.sessionToken else {
            return Caller(application: application, principal: .stranger, sessionTokenHash: nil)
        }
        do throws(DomainError) {
            let hash = try SessionService.hash(ofToken: Array(token))
            let reader = try services.applications.objects(of: application)
                .reader(onLoop: loopIndex)
            let principal = try services.sessions.principal(
                tokenHash: hash,
                reader: reader,
                now: now
            )
            return Caller(
                application: application,
                principal: principal,
                sessionTokenHash: hash
            )
        } catch {
            throw NCMBError(error)
        }
    }

    /// Whether the request's signature is right, or missing where it may be (rulings 1 and 2).
    private func isSigned(
        _ request: HTTPRequest,
        _ credentials: RequestCredentials,
        _ key: ArraySlice<UInt8>,
        _ application: Application,
        _ now: Timestamp
    ) -> Bool {
        guard let signature = credentials.signature else {
            return !application.settings.requiresSignature
        }
        // 44 characters are the base64 of 32 bytes.
        guard let timestamp = credentials.timestamp, signature.count == 44,
            let code = Base64.decode(signature),
            isTimely(timestamp, application.settings, now)
        else { return false }
        let parts = SignedParts(
            method: request.method,
            authority: request.rawAuthority,
            path: request.rawPath,
            query: request.rawQuery,
            applicationKey: key,
            timestamp: timestamp
        )
        let signer = services.applications.signer(of: application)
        return verifier.isRight(code, for: parts, key: signer)
    }

    private func isTimely(
        _ header: ArraySlice<UInt8>,
        _ settings: ApplicationSettings,
        _ now: Timestamp
    ) -> Bool {
        guard let window = settings.timestampWindowSeconds else { return true }
        guard let moment = RequestTimestamp.parse(header) else { return false }
        let distance = moment.millisecondsSinceEpoch
            .subtractingReportingOverflow(now.millisecondsSinceEpoch)
        guard !distance.overflow else { return false }
        return distance.partialValue.magnitude / 1000 <= UInt64(clamping: window)
    }
}
