import EventLoops
package import HatoWire
package import ObjectModel
import Synchronization

/// The applications of a data folder, over `data/hato.db`, and the stores of their objects.
///
/// Lookups are made in memory. At most `StoreLimits.openApplications` applications have their files
/// open; the one whose last use is longest ago is closed for another, and opened again by its next
/// use.
package final class SQLiteApplicationStore: ApplicationStore {
    private struct State {
        var catalogue: ApplicationCatalogue
        var stores: [Text: OpenStore] = [:]
        var isClosed = false
    }

    private struct OpenStore {
        let store: SQLiteStore
        let usage: StoreUsage
    }

    private let folder: DataFolder
    private let environment: StoreEnvironment
    private let limits: StoreLimits
    private let threads: StoreThreads
    private let onChange: @Sendable (Application, [Change]) -> Void
    private let state: Guarded<State>
    /// Its lock is held during changes and openings, which wait for the disk; lookups take `state`.
    private let table: Guarded<ApplicationTable>
    private let uses = Atomic<UInt64>(0)

    /// Opens `data/hato.db`.
    ///
    /// `onChange` is called on writer threads, for each application in the
    /// order of its commits, before their callers are answered.
    ///
    /// Errors: `unavailable` with the reason as cause.
    package init(
        folder: DataFolder,
        environment: StoreEnvironment,
        limits: StoreLimits = StoreLimits(),
        threads: StoreThreads,
        onChange: @escaping @Sendable (Application, [Change]) -> Void
    ) throws(DomainError) {
        let table = try ApplicationTable(path: folder.applicationsFile, now: environment.now())
        let catalogue = ApplicationCatalogue(try table.all())
        self.folder = folder
        self.environment = environment
        self.limits = limits
        self.threads = threads
        self.onChange = onChange
        self.state = Guarded(State(catalogue: catalogue))
        self.table = Guarded(table)
    }

    package func applications() -> [Application] {
        state.withLock { $0.catalogue.all }
    }

    package func application(applicationKey: Text) -> Application? {
        state.withLock { $0.catalogue.application(applicationKey: applicationKey) }
    }

    package func application(relayKey: Text) -> Application? {
        state.withLock { $0.catalogue.application(relayKey: relayKey) }
    }

    package func application(named name: Text) -> Application? {
        state.withLock { $0.catalogue.application(named: name) }
    }

    package func create(_ application: Application) throws(DomainError) {
        guard ObjectID.isValid(application.id) else { throw DomainError(.invalidFormat, "id") }
        try table.withLock { table throws(DomainError) in
            try applicationsNow().refuseTaken(application)
            do throws(FileFailure) {
                try FileSystem.createFolder(folder.folder(ofApplication: application.id.string))
            } catch {
                throw DomainError(.unavailable, cause: "\(error)")
            }
            try table.add(application, at: environment.now())
            state.withLock { $0.catalogue.add(application) }
        }
    }

    package func set(
        _ settings: ApplicationSettings,
        forApplicationNamed name: Text
    )
        throws(DomainError)
    {
        try table.withLock { table throws(DomainError) in
            guard application(named: name) != nil else { throw DomainError(.notFound, "name") }
            try table.set(settings, forApplicationNamed: name)
            state.withLock { $0.catalogue.set(settings, forApplicationNamed: name) }
        }
    }

    package func objects(of application: Application) throws(DomainError) -> any ObjectStore {
        try store(of: application)
    }

    /// Returns the application's store, opening it when needed.
    package func store(of application: Application) throws(DomainError) -> SQLiteStore {
        if let open = open(application.id) { return open }
        return try table.withLock { _ throws(DomainError) in
            if let open = open(application.id) { return open }
            return try openStore(application.id)
        }
    }

    /// How many applications have their files open.
    package var openCount: Int {
        state.withLock { state in state.stores.values.count { $0.usage.isOpen } }
    }

    /// Has the open stores do what a pause in their writing leaves: prune, and shorten their logs.
    ///
    /// Any thread; called about once a second, it returns at once.
    package func tend() {
        let open = state.withLock { state in
            state.isClosed ? [] : state.stores.values.filter(\.usage.isOpen).map(\.store)
        }
        for store in open { store.tend() }
    }

    /// Finishes what waits, then closes every file, checkpointed, and gives the folder back.
    ///
    /// Nothing works afterwards.
    package func close() {
        let open: [SQLiteStore]? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            return state.stores.values.map(\.store)
        }
        guard let stores = open else { return }
        for store in stores { store.beginClosing() }
        threads.close()
        for store in stores { store.close() }
        table.withLock { table in
            // What can't be copied into the file now is found in its log at the next start.
            try? table.checkpoint()
        }
        folder.release()
    }

    private func applicationsNow() -> ApplicationCatalogue {
        state.withLock { $0.catalogue }
    }

    private func open(_ id: Text) -> SQLiteStore? {
        guard let open = state.withLock({ $0.stores[id] }) else { return nil }
        open.usage.noteUse()
        return open.store
    }

    /// Opens a store; with the table's lock held, so that nobody opens the same one.
    private func openStore(_ id: Text) throws(DomainError) -> SQLiteStore {
        let number = try state.withLock { state throws(DomainError) in
            guard !state.isClosed, state.catalogue.application(id: id) != nil else {
                throw DomainError(.unavailable, cause: "closed, or no such application")
            }
            return state.stores.count
        }
        let usage = StoreUsage(
            number: number,
            tick: { [weak self] in self?.nextUse() ?? 0 },
            onOpening: { [weak self] number in self?.closeIdlest(besides: number) }
        )
        usage.noteUse()
        let path = folder.folder(ofApplication: id.string)
        do throws(FileFailure) {
            try FileSystem.createFolder(path)
        } catch {
            throw DomainError(.unavailable, cause: "\(error)")
        }
        let store = try SQLiteStore(
            path: path + "/objects.db",
            environment: environment,
            limits: limits,
            threads: threads,
            usage: usage,
            onChange: { [weak self] changes in self?.tell(changes, of: id) }
        )
        state.withLock { $0.stores[id] = OpenStore(store: store, usage: usage) }
        return store
    }

    private func tell(_ changes: [Change], of id: Text) {
        guard let application = state.withLock({ $0.catalogue.application(id: id) }) else { return }
        onChange(application, changes)
    }

    private func nextUse() -> UInt64 {
        uses.add(1, ordering: .relaxed).newValue
    }

    /// Closes the open store whose last use is longest ago, when one more is too many.
    private func closeIdlest(besides number: Int) {
        let idlest: SQLiteStore? = state.withLock { state in
            let open = state.stores.values.filter { $0.usage.isOpen && $0.usage.number != number }
            guard open.count >= limits.openApplications else { return nil }
            return open.min { $0.usage.latest < $1.usage.latest }?.store
        }
        idlest?.hibernate()
    }
}
