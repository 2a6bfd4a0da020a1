package import HatoWire
package import ObjectModel

/// The verbs of an application's users: sign-up, sign-in, sign-out, and changes of an account.
///
/// Reading and listing users is `ObjectService`'s, with the class `user`.
package struct UserService: Sendable {
    /// The provider of users without name and password.
    package static let anonymous: Text = "anonymous"
    /// The providers that NCMB knows; none of them is set up here yet.
    private static let socialProviders: [Text] = ["facebook", "twitter", "google", "apple"]

    private let application: Application
    private let store: any ObjectStore
    private let loopIndex: Int
    private let disguise: ReadDisguise
    private let sessions: SessionService
    private let passwords: PasswordService
    private let limiter: LoginLimiter

    init(
        application: Application,
        store: any ObjectStore,
        loopIndex: Int,
        services: BackendServices
    ) {
        self.application = application
        self.store = store
        self.loopIndex = loopIndex
        self.disguise = ReadDisguise(
            application: application,
            store: store,
            loopIndex: loopIndex
        )
        self.sessions = services.sessions
        self.passwords = services.passwords
        self.limiter = services.loginLimiter
    }

    /// What every sign-in answers.
    package struct SignedIn: Sendable {
        package let account: UserAccount
        package let token: Text
        /// Whether the user was made by this call.
        package let isNew: Bool
    }

    /// Who a login claims to be.
    package enum LoginName: Sendable {
        case userName(Text)
        /// Counts only once the address is confirmed.
        case mailAddress(Text)
    }
}

// MARK: - Sign-up

extension UserService {
    /// Makes a user and signs it in; with a provider's id, signs in the user who has that id.
    ///
    /// Errors: `empty` (`userName or password`), `notEnabled` with the provider, `duplicate`, and
    /// those of the draft's fields.
    package func signUp(_ draft: UserDraft) async throws(DomainError) -> SignedIn {
        try draft.checkAccount()
        let provider = try draft.authData.map(signUpProvider)
        if provider == nil, draft.userName == nil || draft.password == nil {
            throw DomainError(.empty, "userName or password")
        }
        let session = sessions.draft(provider == nil ? .password : .anonymous, for: application)
        var signUp = SignUp(
            userName: draft.userName,
            mailAddress: draft.mailAddress ?? nil,
            authData: provider.map { [$0] } ?? [],
            changes: draft.changes,
            acl: draft.acl,
            session: session.session
        )
        if let password = draft.password {
            signUp.passwordHash = try await passwords.hash(Array(password.utf8))
        }
        let mutation: Mutation
        if let provider {
            mutation = .signUpOrIn(
                signUp,
                provider: provider.provider,
                providerID: provider.providerID
            )
        } else {
            mutation = .signUp(signUp)
        }
        guard case .signedIn(let account, let isNew) = try await store.commit(mutation) else {
            throw DomainError(.system, cause: "a sign-up's outcome is no sign-in")
        }
        return SignedIn(account: account, token: session.token, isNew: isNew)
    }

    /// Returns the one provider whose proof this server takes: a client's own random id.
    private func signUpProvider(
        _ entries: [UserDraft.ProviderEntry]
    ) throws(DomainError) -> AuthData {
        guard let data = entries.first?.data, entries.allSatisfy({ $0.data != nil }) else {
            throw DomainError(.invalidType, "authData")
        }
        try permitProviders(of: entries)
        return data
    }

    /// Refuses every provider that can't vouch here: blind trust would let anybody be anybody.
    ///
    /// An entry that is taken away needs no proof.
    private func permitProviders(of entries: [UserDraft.ProviderEntry]) throws(DomainError) {
        for entry in entries where entry.data != nil {
            let isAnonymous = entry.provider == UserService.anonymous
            if isAnonymous, application.settings.allowsAnonymous { continue }
            guard isAnonymous || UserService.socialProviders.contains(entry.provider) else {
                throw DomainError(.invalidValue, "authData")
            }
            throw DomainError(.notEnabled, entry.provider)
        }
    }
}

// MARK: - Sign-in and sign-out

extension UserService {
    /// Signs a user in by name or confirmed address.
    ///
    /// All failures of the proof are one error after one time, whether the name is known or not.
    /// Errors: `wrongPassword`, `tooManyRequests`, `unavailable`.
    package func logIn(
        _ name: LoginName,
        password: Text,
        network: Text,
        now: Timestamp
    ) async throws(DomainError) -> SignedIn {
        let pair = limitedPair(name, network)
        guard !limiter.isBlocked(pair, now: now) else { throw DomainError(.tooManyRequests) }
        let account = try account(named: name)
        let isRight =
            password.utf8.count <= PasswordService.limitBytes
            ? try await passwords.isRight(Array(password.utf8), for: account?.passwordHash) : false
        guard isRight, let account, let hash = account.passwordHash else {
            let isCounted = limiter.countFailure(pair, now: now)
            throw DomainError(isCounted ? .wrongPassword : .tooManyRequests)
        }
        // Guesses that ran beside this one may have used up the pair's attempts.
        guard !limiter.isBlocked(pair, now: now) else { throw DomainError(.tooManyRequests) }
        limiter.forget(pair)
        let session = sessions.draft(.password, for: application)
        let outcome = try await store.commit(
            .openSession(userID: account.object.id, session: session.session, provenHash: hash)
        )
        guard case .signedIn(let current, _) = outcome else {
            throw DomainError(.system, cause: "a login's outcome is no sign-in")
        }
        return SignedIn(account: current, token: session.token, isNew: false)
    }

    /// Ends the session that has this token; the caller has found that there is one.
    package func logOut(tokenHash: [UInt8]) async throws(DomainError) {
        _ = try await store.commit(.closeSession(tokenHash: tokenHash))
    }

    /// Appends the user's JSON as its owner sees it, whatever its ACL says: the answer to a sign-in.
    ///
    /// On the loop's thread only. Errors: `notFound` when the user was deleted meanwhile.
    package func append(_ signedIn: SignedIn, to output: inout [UInt8]) throws(DomainError) {
        let id = signedIn.account.object.id
        let reader = try store.reader(onLoop: loopIndex)
        switch try reader.append(.user, id, as: .administrator, to: &output) {
        case .found: return
        case .forbidden, .missing: throw DomainError(.notFound)
        }
    }

    private func account(named name: LoginName) throws(DomainError) -> UserAccount? {
        let reader = try store.reader(onLoop: loopIndex)
        switch name {
        case .userName(let name): return try reader.account(userName: name)
        case .mailAddress(let address):
            let account = try reader.account(mailAddress: address)
            return account?.isMailAddressConfirmed == true ? account : nil
        }
    }

    private func limitedPair(_ name: LoginName, _ network: Text) -> LoginLimiter.Pair {
        let account =
            switch name {
            case .userName(let name): "name:" + name.string
            case .mailAddress(let mail): "mail:" + mail.string
            }
        return LoginLimiter.Pair(
            application: application.id,
            account: Text(account),
            network: network
        )
    }
}

// MARK: - Changes

extension UserService {
    /// Changes a user; returns its new `updateDate`.
    ///
    /// The account's fields are the user's and the administrator's to change, whatever the ACL says;
    /// all others follow the ACL (rulings 13). A new password ends the user's other sessions.
    /// Errors: `notFound`, `forbidden` (`notFound` too, where `hidesUnreadable` is set), `duplicate`.
    package func update(
        _ id: Text,
        _ draft: UserDraft,
        by principal: Principal,
        keptTokenHash: [UInt8]?
    ) async throws(DomainError) -> Timestamp {
        if draft.touchesAccount, !principal.isAdministrator, principal.userID != id {
            throw try disguise.refusal(.user, id, principal)
        }
        try draft.checkAccount()
        var update = UserUpdate(
            id: id,
            principal: principal,
            changes: draft.changes,
            acl: draft.acl
        )
        update.userName = draft.userName
        update.mailAddress = draft.mailAddress
        update.keptTokenHash = keptTokenHash
        if let entries = draft.authData {
            try permitProviders(of: entries)
            update.authData = entries.map { (provider: $0.provider, data: $0.data) }
        }
        if let password = draft.password {
            update.passwordHash = try await passwords.hash(Array(password.utf8))
        }
        do throws(DomainError) {
            guard case .updated(let moment) = try await store.commit(.updateUser(update)) else {
                throw DomainError(.system, cause: "an update's outcome is no update")
            }
            return moment
        } catch {
            throw try disguise.of(error, .user, id, principal)
        }
    }

    package func delete(_ id: Text, by principal: Principal) async throws(DomainError) {
        do throws(DomainError) {
            _ = try await store.commit(.deleteUser(id: id, by: principal))
        } catch {
            throw try disguise.of(error, .user, id, principal)
        }
    }
}
