import Cryptography
import HatoWire
import ObjectModel

/// A command that changes or shows what the operator decides: parsed once, carried out either by
/// the running server (through its socket) or, without one, by the command line itself.
package enum AdminCommand: Sendable {
    case createApplication(CreateApplication)
    case listApplications(asJSON: Bool)
    case setApplication(SetApplication)
    case setClass(SetClass)
    case showClass(ShowClass)
    case listClasses(ListClasses)
    case check(Check)

    /// Whether it may be the first command on a data folder.
    var makesFolder: Bool {
        if case .createApplication = self { true } else { false }
    }

    package struct CreateApplication: Sendable {
        var name: String
        var applicationKey: String?
        var clientKey: String?
        var relayKey: String?
        var relaySecret: String?
        var asJSON: Bool
    }

    package struct SetApplication: Sendable {
        var name: String?
        var requiresSignature: Bool?
        var hidesUnreadable: Bool?
        var allowsAnonymous: Bool?
        /// 0 ends the check.
        var timestampWindowSeconds: Int?
        var sessionLifetimeSeconds: Int?
        var makesIndexes: Bool?
        var isDemo: Bool?
        var guardsAllChannels: Bool?
        /// 0 ends each of these limits.
        var relayConnections: Int?
        var relayChannels: Int?
        var relayMessages: Int?
    }

    /// Takes `app …`, `class …` and `check` apart; nil when the words name no such command.
    package static func parse(_ words: [String]) throws(UsageError) -> AdminCommand? {
        let rest = Array(words.dropFirst(2))
        switch (words.first, words.dropFirst().first) {
        case ("app", "create"): return .createApplication(try createApplication(rest))
        case ("app", "list"):
            let arguments = try Arguments(rest, options: [.flag("--json")])
            try requireCount(arguments, 0, "hato app list [--json]")
            return .listApplications(asJSON: arguments.has("--json"))
        case ("app", "set"): return .setApplication(try setApplication(rest))
        case ("class", "set"): return .setClass(try setClass(rest))
        case ("class", "show"): return .showClass(try showClass(rest))
        case ("class", "list"): return .listClasses(try listClasses(rest))
        case ("check", _): return .check(try check(Array(words.dropFirst())))
        default: return nil
        }
    }

    /// How long the command line waits for a server's answer.
    ///
    /// A command may wait for a commit behind a full queue; a check reads all that is stored.
    var answerTimeout: Duration {
        switch self {
        case .check: .seconds(86_400)
        case .createApplication, .listApplications, .setApplication, .setClass, .showClass,
            .listClasses:
            .seconds(30)
        }
    }

    static func requireCount(
        _ arguments: Arguments,
        _ count: Int,
        _ usage: String
    ) throws(UsageError) {
        guard arguments.positional.count == count else { throw UsageError("usage: " + usage) }
    }

    private static func createApplication(_ words: [String]) throws(UsageError) -> CreateApplication
    {
        let arguments = try Arguments(
            words,
            options: [
                .value("--application-key"), .value("--client-key"), .value("--relay-key"),
                .value("--relay-secret"), .flag("--json"),
            ]
        )
        try requireCount(
            arguments,
            1,
            "hato app create NAME [--application-key K] [--client-key K] …"
        )
        return CreateApplication(
            name: arguments.positional[0],
            applicationKey: arguments["--application-key"],
            clientKey: arguments["--client-key"],
            relayKey: arguments["--relay-key"],
            relaySecret: arguments["--relay-secret"],
            asJSON: arguments.has("--json")
        )
    }

    private static func setApplication(_ words: [String]) throws(UsageError) -> SetApplication {
        let arguments = try Arguments(
            words,
            options: [
                .value("--app"), .value("--require-signature"), .value("--hide-unreadable"),
                .value("--anonymous"), .value("--timestamp-window"), .value("--session-lifetime"),
                .value("--auto-index"), .value("--demo"),
                .value("--relay-auth"), .value("--relay-connections"),
                .value("--relay-channels"), .value("--relay-messages"),
            ]
        )
        guard arguments.positional.count <= 1 else {
            throw UsageError("usage: hato app set [NAME] --require-signature on|off …")
        }
        return SetApplication(
            name: arguments.positional.first ?? arguments["--app"],
            requiresSignature: try arguments.onOff("--require-signature"),
            hidesUnreadable: try arguments.onOff("--hide-unreadable"),
            allowsAnonymous: try arguments.onOff("--anonymous"),
            timestampWindowSeconds: try arguments.integer("--timestamp-window", in: 0...86_400),
            sessionLifetimeSeconds: try arguments.integer(
                "--session-lifetime",
                in: 60...31_536_000
            ),
            makesIndexes: try arguments.onOff("--auto-index"),
            isDemo: try arguments.onOff("--demo"),
            guardsAllChannels: try relayAuth(arguments),
            relayConnections: try arguments.integer("--relay-connections", in: 0...1_048_576),
            relayChannels: try arguments.integer("--relay-channels", in: 0...10_000_000),
            relayMessages: try arguments.integer("--relay-messages", in: 0...1_000_000)
        )
    }

    private static func relayAuth(_ arguments: Arguments) throws(UsageError) -> Bool? {
        switch arguments["--relay-auth"] {
        case nil: nil
        case "all": true
        case "private": false
        case .some: throw UsageError("--relay-auth is all or private")
        }
    }
}
