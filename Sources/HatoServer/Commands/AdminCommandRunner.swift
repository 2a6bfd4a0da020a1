package import Cryptography
import EventLoops
import HatoWire
package import ObjectModel

/// Carries out admin commands on the applications of one data folder.
///
/// Runs on plain threads (the command line, the command socket), never on a loop: it may wait for
/// the disk.
package struct AdminCommandRunner: Sendable {
    package let store: any ApplicationStore
    private let random: SecureRandom
    /// How often a command tells how far it is.
    var tellingPause = Duration.seconds(1)

    package init(store: any ApplicationStore, random: SecureRandom) {
        self.store = store
        self.random = random
    }

    /// Carries out a command; while it takes long, `tell` hears how far it is.
    package func run(
        _ words: [String],
        telling tell: @escaping @Sendable (String) -> Void = { _ in }
    ) -> CommandResult {
        do {
            guard let command = try AdminCommand.parse(words) else {
                return .usage(
                    "there is no command \"" + words.prefix(2).joined(separator: " ") + "\""
                )
            }
            return run(command, telling: tell)
        } catch {
            return .usage(error.message)
        }
    }

    func run(
        _ command: AdminCommand,
        telling tell: @escaping @Sendable (String) -> Void
    ) -> CommandResult {
        switch command {
        case .createApplication(let details): create(details)
        case .listApplications(let asJSON): list(asJSON: asJSON)
        case .setApplication(let details): set(details)
        case .setClass(let details): set(details)
        case .showClass(let details): show(details)
        case .listClasses(let details): list(details)
        case .check(let details): check(details, telling: tell)
        }
    }

    /// Makes an application; keys that are not given are drawn.
    package func createApplication(
        _ details: AdminCommand.CreateApplication
    ) -> Result<Application, CommandFailure> {
        let application = Application(
            id: random.token(16),
            name: Text(details.name),
            applicationKey: details.applicationKey.map { Text($0) } ?? random.hexKey(),
            clientKey: details.clientKey.map { Text($0) } ?? random.hexKey(),
            relayKey: details.relayKey.map { Text($0) } ?? random.token(32),
            relaySecret: details.relaySecret.map { Text($0) } ?? random.token(32)
        )
        if let complaint = ApplicationRules.complaint(about: application) {
            return .failure(CommandFailure(complaint))
        }
        do throws(DomainError) {
            try store.create(application)
            return .success(application)
        } catch {
            switch error.code {
            case .duplicate:
                return .failure(
                    CommandFailure(
                        "there is already an application with this \(error.subject); choose another"
                    )
                )
            default:
                return .failure(CommandFailure("could not create the application: \(error.cause)"))
            }
        }
    }

    private func create(_ details: AdminCommand.CreateApplication) -> CommandResult {
        switch createApplication(details) {
        case .success(let application):
            .success(
                details.asJSON
                    ? ApplicationText.json(application) + "\n" : ApplicationText.lines(application)
            )
        case .failure(let failure): .failure(failure.message)
        }
    }

    private func list(asJSON: Bool) -> CommandResult {
        let applications = store.applications()
        guard !asJSON else {
            return .success(
                "[" + applications.map(ApplicationText.json).joined(separator: ",") + "]\n"
            )
        }
        guard !applications.isEmpty else {
            return .success("There is no application yet; hato app create NAME makes one.\n")
        }
        return .success(applications.map(ApplicationText.lines).joined(separator: "\n"))
    }

    private func set(_ details: AdminCommand.SetApplication) -> CommandResult {
        withApplication(details.name) { application in
            var settings = application.settings
            if let value = details.requiresSignature { settings.requiresSignature = value }
            if let value = details.hidesUnreadable { settings.hidesUnreadable = value }
            if let value = details.allowsAnonymous { settings.allowsAnonymous = value }
            if let value = details.timestampWindowSeconds {
                settings.timestampWindowSeconds = value == 0 ? nil : value
            }
            if let value = details.sessionLifetimeSeconds {
                settings.sessionLifetimeSeconds = value
            }
            if let value = details.makesIndexes { settings.makesIndexes = value }
            details.apply(to: &settings.relay)
            if let value = details.isDemo { settings.isDemo = value }
            if settings.isDemo,
                let other = store.applications().first(where: {
                    $0.settings.isDemo && $0.name != application.name
                })
            {
                return .failure(
                    "\(other.name) is the demo: hato app set \(other.name) --demo off comes first"
                )
            }
            do throws(DomainError) {
                try store.set(settings, forApplicationNamed: application.name)
            } catch {
                return .failure("could not change \(application.name): \(error.cause)")
            }
            return .success("\(application.name): \(ApplicationText.settings(settings))\n")
        }
    }

    /// Runs `body` for the application that is meant.
    func withApplication(
        _ name: String?,
        _ body: (Application) -> CommandResult
    ) -> CommandResult {
        switch application(named: name) {
        case .failure(let failure): .failure(failure.message)
        case .success(let application): body(application)
        }
    }

    /// Waits for what a store does.
    func waiting<Answer: Sendable>(
        _ body: @escaping @Sendable () async throws(DomainError) -> Answer
    ) throws(DomainError) -> Answer {
        let result = WaitingThread.result { () -> Result<Answer, DomainError> in
            do throws(DomainError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw DomainError(.system, cause: "the store gave no answer") }
        return try result.get()
    }

    /// Returns the application that is meant: by name, or the only one there is.
    private func application(named name: String?) -> Result<Application, CommandFailure> {
        if let name {
            guard let application = store.application(named: Text(name)) else {
                return .failure(
                    CommandFailure("there is no application \"\(name)\"; hato app list shows them")
                )
            }
            return .success(application)
        }
        let all = store.applications()
        guard all.count <= 1 else {
            return .failure(
                CommandFailure("there are \(all.count) applications; say which with --app NAME")
            )
        }
        guard let only = all.first else {
            return .failure(
                CommandFailure("there is no application yet; hato app create NAME makes one")
            )
        }
        return .success(only)
    }
}

/// Why a command failed, in a sentence for the operator.
package struct CommandFailure: Error, Sendable, Equatable {
    package var message: String

    package init(_ message: String) {
        self.message = message
    }
}

extension AdminCommand.SetApplication {
    fileprivate func apply(to relay: inout RelaySettings) {
        if let value = guardsAllChannels { relay.guardsAllChannels = value }
        if let value = relayConnections { relay.connectionLimit = value == 0 ? nil : value }
        if let value = relayChannels { relay.channelLimit = value == 0 ? nil : value }
        if let value = relayMessages { relay.messagesPerSecond = value == 0 ? nil : value }
    }
}
