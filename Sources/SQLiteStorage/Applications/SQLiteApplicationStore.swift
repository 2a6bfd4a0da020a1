import EventLoops
package import HatoWire
package import ObjectModel
import Synchronization

/// The applications of a data folder, over `data/hato.db`, and the stores of their objects.
///
/// Lookups are made in memory. At most `StoreLimits.openApplications` applications have their files
/// open; the one whose last use is longest ago is closed for another, and opened again by its next
/// use. So many are opened at the start, and each new one when it is made; only an application
/// beyond them is opened by its first request, on a writer thread.
package final class SQLiteApplicationStore: ApplicationStore {
    private struct State {
        var catalogue: ApplicationCatalogue
        var stores: [Text: OpenStore] = [:]
        /// Those that a writer thread opens, and why the last opening of others failed.
        var opening: Set<Text> = []
        var failures: [Text: String] = [:]
        var madeStores = 0
        var isClosed = false

        /// Shares an open store, which does from now on what its application's settings say.
        mutating func add(_ open: OpenStore, of id: Text) {
            stores[id] = open
            instruct(open, of: id)
        }

        /// Has the open stores do what the catalogue's settings say.
        func instructAll() {
            for (id, open) in stores { instruct(open, of: id) }
        }

        private func instruct(_ open: OpenStore, of id: Text) {
            guard let application = catalogue.application(id: id) else { return }
            open.store.setMakesIndexes(application.settings.makesIndexes)
        }
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
    /// Its lock is held during changes, which wait for the disk; lookups take `state`.
    private let table: Guarded<ApplicationTable>
    /// Held while a store is opened, so that nobody opens the same one.
    ///
    /// Taken inside the lock of `table`, never around it. No loop takes either.
    private let opening = Guarded(())
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
        let table = try ApplicationTable(path: folder.applicationsFile, environment)
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
            try reread(table)
            try applicationsNow().refuseTaken(application)
            // The files first: of an application that is known, a missing file is a lost one.
            let made = try makeStore(creating: application.id)
            do throws(DomainError) {
                try table.add(application, at: environment.now())
            } catch {
                try? reread(table)
                guard applicationsNow().application(id: application.id) == application else {
                    made.store.close()
                    throw error
                }
            }
            let isShared = state.withLock { state in
                if state.catalogue.application(id: application.id) == nil {
                    state.catalogue.add(application)
                }
                if !state.isClosed { state.add(made, of: application.id) }
                return !state.isClosed
            }
            if !isShared { made.store.close() }
        }
    }

    package func set(
        _ settings: ApplicationSettings,
        forApplicationNamed name: Text
    )
        throws(DomainError)
    {
        try table.withLock { table throws(DomainError) in
            try reread(table)
            guard application(named: name) != nil else { throw DomainError(.notFound, "name") }
            do throws(DomainError) {
                try table.set(settings, forApplicationNamed: name)
            } catch {
                try? reread(table)
                guard application(named: name)?.settings == settings else { throw error }
            }
            state.withLock { state in
                state.catalogue.set(settings, forApplicationNamed: name)
                state.instructAll()
            }
        }
    }

    package func objects(of application: Application) throws(DomainError) -> any ObjectStore {
        if let open = open(application.id) { return open }
        throw beginOpening(application.id)
    }

    package func openObjects(
        of application: Application
    ) throws(DomainError)
        -> any ObjectStore
    {
        try store(of: application)
    }

    /// Returns the application's store, opening it when needed; blocks for the disk.
    package func store(of application: Application) throws(DomainError) -> SQLiteStore {
        if let open = open(application.id) { return open }
        return try openStore(application.id)
    }

    /// Opens the applications that are known, as many as may be open; before anything listens.
    ///
    /// One that can't be opened is reported and keeps nobody else from being served; its requests
    /// try again.
    package func openAll(_ report: (Application, DomainError) -> Void) {
        for application in applications().prefix(limits.openApplications) {
            do throws(DomainError) {
                _ = try store(of: application)
            } catch {
                report(application, error)
            }
        }
    }

    /// How many applications have their files open.
    package var openCount: Int {
        state.withLock { state in state.stores.values.count { $0.usage.isOpen } }
    }

    /// Whether the application's files are open.
    func isOpen(_ id: Text) -> Bool {
        state.withLock { $0.stores[id]?.usage.isOpen == true }
    }

    /// Has the open stores do what a pause in their writing leaves: prune, and shorten their logs; and
    /// closes the idlest ones when so many were busy that too many are open.
    ///
    /// Any thread; called about once a second, it returns at once.
    package func tend() {
        let open = state.withLock { state in
            state.isClosed ? [] : state.stores.values.filter(\.usage.isOpen).map(\.store)
        }
        for store in open { store.tend() }
        closeIdlest(besides: nil)
    }

    /// Finishes what waits, then closes every file, checkpointed, and gives the folder back.
    ///
    /// Nothing works afterwards.
    package func close() {
        let open: [SQLiteStore]? = opening.withLock { _ in
            state.withLock { state in
                guard !state.isClosed else { return nil }
                state.isClosed = true
                return state.stores.values.map(\.store)
            }
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

    /// Reads the catalogue again after a change that failed and may be durable nevertheless.
    private func reread(_ table: ApplicationTable) throws(DomainError) {
        guard table.isStale else { return }
        let applications = try table.all()
        state.withLock { state in
            state.catalogue = ApplicationCatalogue(applications)
            state.instructAll()
        }
    }

    /// Has a writer thread open the application; returns what its caller is answered meanwhile.
    private func beginOpening(_ id: Text) -> DomainError {
        let (begins, failure) = state.withLock { state in
            let isKnown = !state.isClosed && state.catalogue.application(id: id) != nil
            return (isKnown && state.opening.insert(id).inserted, state.failures[id])
        }
        guard begins else {
            return DomainError(.unavailable, cause: failure ?? "being opened, closed, or unknown")
        }
        let isQueued = threads.opener.submit { _ in
            let failure: String?
            do throws(DomainError) {
                _ = try self.openStore(id)
                failure = nil
            } catch {
                failure = error.cause
            }
            self.state.withLock { state in
                state.failures[id] = failure
                state.opening.remove(id)
            }
        }
        if !isQueued { state.withLock { _ = $0.opening.remove(id) } }
        return DomainError(.unavailable, cause: failure ?? "the application is being opened")
    }

    private func openStore(_ id: Text) throws(DomainError) -> SQLiteStore {
        try opening.withLock { _ throws(DomainError) in
            if let open = open(id) { return open }
            guard applicationsNow().application(id: id) != nil else {
                throw DomainError(.unavailable, cause: "no such application")
            }
            let made = try makeStore(id, creating: false)
            state.withLock { $0.add(made, of: id) }
            return made.store
        }
    }

    private func makeStore(creating id: Text) throws(DomainError) -> OpenStore {
        do throws(FileFailure) {
            try FileSystem.createFolder(folder.folder(ofApplication: id.string))
        } catch {
            throw DomainError(.unavailable, cause: "\(error)")
        }
        return try opening.withLock { _ throws(DomainError) in try makeStore(id, creating: true) }
    }

    /// Opens a store; with `opening` held.
    private func makeStore(_ id: Text, creating: Bool) throws(DomainError) -> OpenStore {
        let number = try state.withLock { state throws(DomainError) in
            guard !state.isClosed else { throw DomainError(.unavailable, cause: "closed") }
            state.madeStores += 1
            return state.madeStores
        }
        let usage = StoreUsage(
            number: number,
            tick: { [weak self] in self?.nextUse() ?? 0 },
            onOpening: { [weak self] number in self?.closeIdlest(besides: number) }
        )
        usage.noteUse()
        let store = try SQLiteStore(
            path: folder.folder(ofApplication: id.string) + "/objects.db",
            creating: creating,
            environment: environment,
            limits: limits,
            threads: threads,
            usage: usage,
            onChange: { [weak self] changes in self?.tell(changes, of: id) }
        )
        return OpenStore(store: store, usage: usage)
    }

    private func tell(_ changes: [Change], of id: Text) {
        guard let application = state.withLock({ $0.catalogue.application(id: id) }) else { return }
        onChange(application, changes)
    }

    private func nextUse() -> UInt64 {
        uses.add(1, ordering: .relaxed).newValue
    }

    /// Closes the open store whose last use is longest ago, when one is too many; if that one is
    /// busy, the next.
    ///
    /// `number` is about to be used: it stays, and counts whether it is registered yet or not.
    private func closeIdlest(besides number: Int?, asked: Set<Int> = []) {
        let room = limits.openApplications - (number == nil ? 0 : 1)
        let idlest: OpenStore? = state.withLock { state in
            let open = state.stores.values.filter { $0.usage.isOpen && $0.usage.number != number }
            guard open.count > room else { return nil }
            return open.filter { !asked.contains($0.usage.number) }
                .min { $0.usage.latest < $1.usage.latest }
        }
        guard let idlest else { return }
        idlest.store.hibernate { [weak self] in
            self?.closeIdlest(besides: number, asked: asked.union([idlest.usage.number]))
        }
    }
}
