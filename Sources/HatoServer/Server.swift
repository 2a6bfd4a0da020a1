import Backend
import ChatPage
import Cryptography
package import EventLoops
package import HTTPServer
import NCMBAdapter
package import ObjectModel
import PieSocketAdapter
import Realtime
import SQLiteStorage
package import Telemetry
import TransportSecurity

/// The composition root: makes every room by one configuration, joins them, and ends them in order.
///
/// One per process: it owns the data folder. Start and stop from one thread that is no loop.
package final class Server {
    /// Where it listens, with the kernel's choice of the port where the setting says 0.
    package let address: ListenAddress?
    package let secureAddress: ListenAddress?
    package var securePort: UInt16? { secureAddress?.port }
    /// The port in the clear, or that of TLS when there is no other.
    package var port: UInt16 { (address ?? secureAddress)?.port ?? 0 }
    package let applications: any ApplicationStore
    /// The application that this start has made because there was none.
    package let newApplication: Application?
    /// Every route, for comparison with `api-spec`.
    package let routes: [RouteDescription]

    private let log: Log
    private let shutdownGrace: Duration
    private let storage: SQLiteApplicationStore
    private let hashing: WorkerPool
    /// Packs long answers; nil when none is packed.
    private let gzip: WorkerPool?
    private let group: EventLoopGroup
    private let http: HTTPServer
    private let hub: ChannelHub
    private let control: ControlServer
    private let certificates: TLSCertificateFiles?

    /// Opens the data folder, listens, and serves.
    ///
    /// Errors: a sentence that names the folder, address or setting, and the mend.
    package init(_ configuration: EffectiveConfiguration, log: Log) throws(ConfigurationError) {
        let rooms = RoomLimits(configuration)
        let listening = try Listening(configuration)
        self.log = log
        self.shutdownGrace = rooms.shutdownGrace
        do {
            let certificates = try listening.secure.map {
                try TLSCertificateFiles(certificate: $0.certificate, key: $0.key, log: log)
            }
            let group = try EventLoopGroup(count: rooms.loopCount, limits: rooms.loops, log: log)
            let hub = ChannelHub(loops: group.loops, limits: rooms.channels)
            let relay = ChangeRelay(hub: hub)
            let turns = LoopTurns(loops: group.loops.count)
            let random = SecureRandom()
            let storage = try SQLiteApplicationStore(
                folder: DataFolder(path: configuration["data"].value),
                environment: StoreEnvironment(system: random),
                limits: rooms.store,
                threads: StoreThreads(
                    limits: rooms.store,
                    turns: turns,
                    answers: group.counts.answers
                ),
                onChange: { application, changes in relay.relay(changes, of: application) }
            )
            storage.openAll {
                log.error("not opened", ["application": "\($0.name)", "cause": $1.cause])
            }
            let hashing = try WorkerPool(
                name: "hash",
                threads: rooms.hashThreads,
                queueLimit: rooms.hashQueue
            )
            let services = BackendServices(
                applications: ApplicationDirectory(store: storage),
                sessions: SessionService(random: random),
                passwords: PasswordService(
                    pool: hashing,
                    hasher: PasswordHasher(random: random),
                    random: random
                ),
                loginLimiter: LoginLimiter(limits: rooms.login)
            )
            let runner = AdminCommandRunner(store: storage, random: random)
            let hasPage = configuration["page"].value == "on"
            let router = Server.router(
                services,
                hub: hub,
                limits: rooms,
                pageOf: hasPage ? storage : nil,
                log: log
            )
            let gzip =
                rooms.allowsGzip
                ? try WorkerPool(name: "gzip", threads: 1, queueLimit: rooms.gzipQueue) : nil
            var httpConfiguration = rooms.http
            httpConfiguration.gzip = gzip.map { GzipPolicy(workers: $0) }
            let http = HTTPServer(
                group: group,
                router: router,
                configuration: httpConfiguration
            )
            self.address = try listening.plain.map {
                ListenAddress(host: $0.host, port: try http.listen($0))
            }
            var secureAddress: ListenAddress?
            if let address = listening.secure?.address, let certificates {
                let port = try http.listen(address, transform: certificates.transform)
                secureAddress = ListenAddress(host: address.host, port: port)
            }
            self.secureAddress = secureAddress
            // After the port is ours: a start that fails must not use up the one that shows the keys.
            self.newApplication = try Server.makeFirstApplication(runner)
            for loop in group.loops {
                let index = loop.index
                loop.atTurnEnd { turns.endTurn(onLoop: index) }
            }
            if let loop = group.loops.first { Server.tend(storage, on: loop) }
            try group.start()
            self.control = try ControlServer(folder: configuration["data"].value) {
                runner.run($0, telling: $1)
            }
            self.group = group
            self.certificates = certificates
            self.storage = storage
            self.applications = storage
            self.hashing = hashing
            self.gzip = gzip
            self.http = http
            self.routes = router.table
            self.hub = hub
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError("\(error)")
        }
    }

    /// Whether `tendCertificates` has something to do.
    package var usesCertificates: Bool { certificates != nil }

    /// Reads the certificate anew when its files have changed, or when it `isForced`.
    ///
    /// Reads files: not on a loop, and by one thread at a time.
    package func tendCertificates(isForced: Bool = false) {
        certificates?.refresh(isForced: isForced)
    }

    /// How many channels have a member at this moment.
    package var channelCount: Int { hub.counts.channels }

    /// How many connections each loop has at this moment.
    ///
    /// Not from a loop.
    package func connectionCounts() -> [Int] {
        group.loops.map { loop in
            WaitingThread.result { await loop.connectionCountOnLoop() } ?? 0
        }
    }

    /// Ends gracefully: no new connections, answers in flight, WebSockets told 1001, store closed.
    package func stop() {
        control.beginStopping()
        http.stop(within: shutdownGrace)
        group.stop()
        hashing.close(discardsWaiting: true)
        gzip?.close(discardsWaiting: true)
        storage.close()
        control.stop()
        log.info("stopped")
    }

    /// Has the store tended once a second for as long as it is there.
    private static func tend(_ storage: SQLiteApplicationStore, on loop: EventLoop) {
        loop.after(.seconds(1)) { [weak storage, unowned loop] in
            guard let storage else { return }
            storage.tend()
            tend(storage, on: loop)
        }
    }

    private static func router(
        _ services: BackendServices,
        hub: ChannelHub,
        limits: RoomLimits,
        pageOf applications: (any ApplicationStore)?,
        log: Log
    ) -> Router {
        var router = Router()
        HealthRoutes(hasPage: applications != nil).register(on: &router)
        if let applications {
            ChatPageRoutes {
                applications.applications().first { $0.settings.isDemo }
            }.register(on: &router)
        }
        // A full disk fails every write: one line a second tells as much.
        let gate = RateGate<DomainError.Code>(span: .seconds(1))
        NCMBRoutes(
            services: services,
            limits: limits.store.documents,
            queryLimits: limits.query
        ) { error in
            guard let heldBack = gate.pass(error.code) else { return }
            log.warning(
                "request failed",
                ["code": "\(error.code)", "cause": error.cause, "heldBack": "\(heldBack)"]
            )
        }.register(on: &router)
        PieSocketRoutes(
            hub: hub,
            directory: BackendRelayDirectory(services: services),
            limits: limits.relay
        ).register(on: &router)
        return router
    }

    private static func makeFirstApplication(
        _ runner: AdminCommandRunner
    ) throws(ConfigurationError) -> Application? {
        guard runner.store.applications().isEmpty else { return nil }
        switch runner.createApplication(
            AdminCommand.CreateApplication(name: "default", asJSON: false)
        ) {
        case .success(let application): return application
        case .failure(let failure): throw ConfigurationError(failure.message)
        }
    }
}

extension EventLoop {
    /// Asks the loop itself: the count is the loop's own.
    fileprivate func connectionCountOnLoop() async -> Int {
        await withCheckedContinuation { continuation in
            execute { continuation.resume(returning: self.connectionCount) }
        }
    }
}
