import HatoWire
import ObjectModel
import SQLiteStorage

/// Looking into classes, and changing what the operator decides about them.
extension AdminCommandRunner {
    /// Classes that a complaint about an unknown one names at most.
    private static let namedClasses = 20

    func set(_ details: AdminCommand.SetClass) -> CommandResult {
        withApplication(details.application) { application in
            do throws(DomainError) {
                return .success(try change(application, details))
            } catch {
                return .failure(complaint(about: details, error))
            }
        }
    }

    func show(_ details: AdminCommand.ShowClass) -> CommandResult {
        withApplication(details.application) { application in
            do throws(DomainError) {
                let objects = try store.openObjects(of: application)
                let name = try? ClassName(any: Text(details.name))
                let report = try waiting { () async throws(DomainError) -> ClassReport? in
                    guard let name else { return nil }
                    return try await objects.report(of: name)
                }
                guard let report else {
                    let classes = try waiting { () async throws(DomainError) -> [ClassSummary] in
                        try await objects.classes()
                    }
                    return .failure(unknown(details.name, classes))
                }
                return .success(
                    details.asJSON
                        ? ClassText.json(details.name, report) + "\n"
                        : ClassText.lines(details.name, report)
                )
            } catch {
                return .failure("could not look into the class: \(error.cause)")
            }
        }
    }

    func list(_ details: AdminCommand.ListClasses) -> CommandResult {
        withApplication(details.application) { application in
            do throws(DomainError) {
                let objects = try store.openObjects(of: application)
                let classes = try waiting { () async throws(DomainError) -> [ClassSummary] in
                    try await objects.classes()
                }
                return .success(
                    details.asJSON ? ClassText.json(classes) + "\n" : ClassText.lines(classes)
                )
            } catch {
                return .failure("could not list the classes: \(error.cause)")
            }
        }
    }

    /// Checks one application or all, and fails when anything is wrong with any.
    func check(
        _ details: AdminCommand.Check,
        telling tell: @escaping @Sendable (String) -> Void
    ) -> CommandResult {
        let pace = Pace(tellingPause)
        let telling = { @Sendable (text: String) in if pace.isDue() { tell(text) } }
        guard let name = details.application else {
            return check(store.applications(), telling)
        }
        return withApplication(name) { check([$0], telling) }
    }

    private func check(
        _ applications: [Application],
        _ tell: @escaping @Sendable (String) -> Void
    ) -> CommandResult {
        var text = ""
        var exitCode: Int32 = 0
        for application in applications {
            let complaints: [String]
            do throws(DomainError) {
                let objects = try store.openObjects(of: application)
                let found = try waiting { () async throws(DomainError) -> [Text] in
                    try await objects.verify { tell("\(application.name): \($0)") }
                }
                complaints = found.map(\.string)
            } catch {
                complaints = ["could not be checked: \(error.cause)"]
            }
            if complaints.isEmpty {
                text += "\(application.name): nothing is wrong\n"
            } else {
                exitCode = 1
                text += complaints.map { "\(application.name): \($0)\n" }.joined()
            }
        }
        return CommandResult(exitCode: exitCode, text: text)
    }

    /// Makes the change and returns what to tell about it.
    private func change(
        _ application: Application,
        _ details: AdminCommand.SetClass
    ) throws(DomainError) -> String {
        let changesIndexes = !details.indexed.isEmpty || !details.unindexed.isEmpty
        let changesSettings =
            details.relay != nil || details.defaultACL != nil || !changesIndexes
        // Users can have indexes, but their settings are not a class's.
        let name: ClassName =
            details.name == ClassName.user.text.string && !changesSettings
            ? .user : try ClassName(dataStore: Text(details.name))
        let objects = try store.openObjects(of: application)
        var text = ""
        if changesIndexes {
            // First, because it can be refused.
            try setIndexes(of: name, details, in: objects)
            text += ClassText.indexes(name.text, details.indexed, details.unindexed)
        }
        guard changesSettings else { return text }
        var settings = objects.settings(of: name)
        if let relay = details.relay { settings.relay = relay }
        if let defaultACL = details.defaultACL { settings.defaultACL = defaultACL }
        try commit(.configureClass(name, settings), to: objects)
        return "\(name.text): \(ClassText.settings(settings))\n" + text
    }

    private func setIndexes(
        of name: ClassName,
        _ details: AdminCommand.SetClass,
        in objects: any ObjectStore
    ) throws(DomainError) {
        var added: [FieldPath] = []
        for field in details.indexed { added.append(try AdminCommandRunner.path(field)) }
        var removed: [FieldPath] = []
        for field in details.unindexed { removed.append(try AdminCommandRunner.path(field)) }
        try commit(.setIndexes(name, added: added, removed: removed), to: objects)
    }

    /// Errors: `invalidType`, so that a bad field is told from a bad class.
    private static func path(_ field: String) throws(DomainError) -> FieldPath {
        do throws(DomainError) {
            return try FieldPath(Text(field))
        } catch {
            throw DomainError(.invalidType, Text(field))
        }
    }

    private func commit(
        _ mutation: Mutation,
        to objects: any ObjectStore
    ) throws(DomainError) {
        _ = try waiting { () async throws(DomainError) -> Outcome in
            try await objects.commit(mutation)
        }
    }

    private func complaint(
        about details: AdminCommand.SetClass,
        _ error: DomainError
    ) -> String {
        switch error.code {
        case .invalidFormat:
            "\"\(details.name)\" is no class name: a letter, then up to 63 letters, digits or _"
        case .prohibited where !error.subject.utf8.isEmpty:
            "\(error.subject) is kept apart from the other fields of a \(details.name), where no list "
                + "can ask for it: an index would help nobody"
        case .prohibited: "\"\(details.name)\" is a built-in class and takes no settings"
        case .invalidType: "\"\(error.subject)\" is no field that could have an index"
        case .notFound: "\(details.name) has no index on \(error.subject)"
        case .notEnabled: "\(error.subject) needs no index: the store always has one"
        case .invalidValue where error.subject == "className":
            "there are as many classes as an application may have"
        case .invalidValue: "\(details.name) has as many indexes as a class may have"
        default: "could not change the class: \(error.cause)"
        }
    }

    private func unknown(_ name: String, _ classes: [ClassSummary]) -> String {
        guard !classes.isEmpty else {
            return "there is no class \"\(name)\", and no other yet: the first object makes one"
        }
        let names = classes.prefix(AdminCommandRunner.namedClasses).map(\.name.text.string)
        let more = classes.count - names.count
        return "there is no class \"\(name)\"; there are " + names.joined(separator: ", ")
            + (more > 0 ? " and \(more) more (hato class list)" : "")
    }
}
