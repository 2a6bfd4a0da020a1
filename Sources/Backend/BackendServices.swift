package import ObjectModel

/// The domain's verbs in one hand: what an adapter is given.
package struct BackendServices: Sendable {
    package let applications: ApplicationDirectory
    package let sessions: SessionService
    package let passwords: PasswordService
    package let loginLimiter: LoginLimiter

    package init(
        applications: ApplicationDirectory,
        sessions: SessionService,
        passwords: PasswordService,
        loginLimiter: LoginLimiter
    ) {
        self.applications = applications
        self.sessions = sessions
        self.passwords = passwords
        self.loginLimiter = loginLimiter
    }

    /// Returns the verbs of an application's objects, for calls from one loop.
    package func objects(
        of application: Application,
        loopIndex: Int
    ) throws(DomainError) -> ObjectService {
        ObjectService(
            application: application,
            store: try applications.objects(of: application),
            loopIndex: loopIndex
        )
    }

    /// Returns the verbs of an application's users, for calls from one loop.
    package func users(
        of application: Application,
        loopIndex: Int
    ) throws(DomainError) -> UserService {
        UserService(
            application: application,
            store: try applications.objects(of: application),
            loopIndex: loopIndex,
            services: self
        )
    }
}
