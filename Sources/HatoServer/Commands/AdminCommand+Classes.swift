import ObjectModel

/// The commands about classes, and their words.
extension AdminCommand {
    package struct SetClass: Sendable {
        var application: String?
        var name: String
        var relay: ClassSettings.Relay?
        var defaultACL: ClassSettings.DefaultACL?
        /// Fields that shall have an index, and those that shall have none.
        var indexed: [String] = []
        var unindexed: [String] = []
    }

    package struct ShowClass: Sendable {
        var application: String?
        var name: String
        var asJSON: Bool
    }

    package struct ListClasses: Sendable {
        var application: String?
        var asJSON: Bool
    }

    package struct Check: Sendable {
        /// nil: all of them.
        var application: String?
    }

    static func setClass(_ words: [String]) throws(UsageError) -> SetClass {
        let arguments = try Arguments(
            words,
            options: [
                .value("--app"), .value("--relay"), .value("--default-acl"), .words("--index"),
                .words("--no-index"),
            ]
        )
        try requireCount(
            arguments,
            1,
            """
            hato class set CLASS [--relay off|flat|events] [--default-acl public|owner] \
            [--index FIELD …] [--no-index FIELD …]
            """
        )
        let details = SetClass(
            application: arguments["--app"],
            name: arguments.positional[0],
            relay: try choice(arguments, "--relay"),
            defaultACL: try choice(arguments, "--default-acl"),
            indexed: arguments.words("--index"),
            unindexed: arguments.words("--no-index")
        )
        if let both = details.indexed.first(where: details.unindexed.contains) {
            throw UsageError("\(both) is named by --index and by --no-index")
        }
        return details
    }

    static func showClass(_ words: [String]) throws(UsageError) -> ShowClass {
        let arguments = try Arguments(words, options: [.value("--app"), .flag("--json")])
        try requireCount(arguments, 1, "hato class show CLASS [--json]")
        return ShowClass(
            application: arguments["--app"],
            name: arguments.positional[0],
            asJSON: arguments.has("--json")
        )
    }

    static func listClasses(_ words: [String]) throws(UsageError) -> ListClasses {
        let arguments = try Arguments(words, options: [.value("--app"), .flag("--json")])
        try requireCount(arguments, 0, "hato class list [--json]")
        return ListClasses(application: arguments["--app"], asJSON: arguments.has("--json"))
    }

    static func check(_ words: [String]) throws(UsageError) -> Check {
        let arguments = try Arguments(words, options: [.value("--app")])
        try requireCount(arguments, 0, "hato check [--app NAME]")
        return Check(application: arguments["--app"])
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ arguments: Arguments,
        _ name: String
    ) throws(UsageError) -> Choice? where Choice.RawValue == String {
        guard let text = arguments[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw UsageError(
                "\(name) is " + Choice.allCases.map(\.rawValue).joined(separator: " or ")
            )
        }
        return choice
    }
}
