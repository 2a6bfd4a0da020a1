package import Backend
package import HatoWire
package import ObjectModel

/// What the relay asks of the rest of the house; called on loops, looks into memory or at one row.
package protocol RelayDirectory: Sendable {
    func application(relayKey: Text) -> Application?
    func application(applicationKey: Text) -> Application?
    /// Returns what a session's user is called in the relay.
    ///
    /// Errors: `unauthenticated` (no session has the token, or it is over), `forbidden` (an anonymous
    /// user), `unavailable`.
    func userName(
        ofSession token: [UInt8],
        in application: Application,
        loopIndex: Int,
        now: Timestamp
    ) throws(DomainError) -> Text
}

/// The directory of the applications that this server has.
package struct BackendRelayDirectory: RelayDirectory {
    private let services: BackendServices

    package init(services: BackendServices) {
        self.services = services
    }

    package func application(relayKey: Text) -> Application? {
        services.applications.application(relayKey: relayKey)
    }

    package func application(applicationKey: Text) -> Application? {
        services.applications.application(applicationKey: applicationKey)
    }

    package func userName(
        ofSession token: [UInt8],
        in application: Application,
        loopIndex: Int,
        now: Timestamp
    ) throws(DomainError) -> Text {
        let reader = try services.applications.objects(of: application).reader(onLoop: loopIndex)
        let session = try services.sessions.session(
            tokenHash: SessionService.hash(ofToken: token),
            reader: reader,
            now: now
        )
        // Anonymous sign-in is open to whoever has the public key: it proves nothing.
        guard session.kind != .anonymous else { throw DomainError(.forbidden) }
        var user: [UInt8] = []
        let principal = Principal(userID: session.userID)
        guard case .found = try reader.append(.user, session.userID, as: principal, to: &user)
        else { return session.userID }
        return BackendRelayDirectory.displayName(user) ?? session.userID
    }

    /// Returns the member `displayName` of a user's JSON, if it is a text that says something.
    private static func displayName(_ user: [UInt8]) -> Text? {
        var tape = JSONTape()
        guard (try? tape.parse(user.span, limits: JSONLimits())) != nil,
            let index = tape.members(in: user.span)["displayName"],
            tape.entries[index].kind == .string
        else { return nil }
        let name = tape.text(index, in: user.span)
        return name.utf8.isEmpty ? nil : name
    }
}
