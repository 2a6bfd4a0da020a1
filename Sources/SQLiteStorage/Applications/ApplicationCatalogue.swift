import HatoWire
import ObjectModel

/// All applications with their lookups: a value that is swapped when something changes.
struct ApplicationCatalogue: Sendable {
    private(set) var all: [Application]
    private var byApplicationKey: [Text: Int] = [:]
    private var byRelayKey: [Text: Int] = [:]
    private var byName: [Text: Int] = [:]
    private var byID: [Text: Int] = [:]

    init(_ applications: [Application]) {
        all = applications
        for (index, application) in applications.enumerated() {
            byApplicationKey[application.applicationKey] = index
            byRelayKey[application.relayKey] = index
            byName[application.name] = index
            byID[application.id] = index
        }
    }

    func application(applicationKey: Text) -> Application? {
        byApplicationKey[applicationKey].map { all[$0] }
    }

    func application(relayKey: Text) -> Application? { byRelayKey[relayKey].map { all[$0] } }
    func application(named name: Text) -> Application? { byName[name].map { all[$0] } }
    func application(id: Text) -> Application? { byID[id].map { all[$0] } }

    mutating func add(_ application: Application) {
        self = ApplicationCatalogue(all + [application])
    }

    mutating func set(_ settings: ApplicationSettings, forApplicationNamed name: Text) {
        guard let index = byName[name] else { return }
        all[index].settings = settings
    }

    /// Refuses what another application has already.
    ///
    /// Errors: `duplicate`, the field as subject.
    func refuseTaken(_ application: Application) throws(DomainError) {
        if byName[application.name] != nil { throw DomainError(.duplicate, "name") }
        if byApplicationKey[application.applicationKey] != nil {
            throw DomainError(.duplicate, "applicationKey")
        }
        if byRelayKey[application.relayKey] != nil { throw DomainError(.duplicate, "relayKey") }
        if byID[application.id] != nil { throw DomainError(.duplicate, "id") }
    }
}
