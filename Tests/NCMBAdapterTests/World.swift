import Backend
import CSQLite
import Cryptography
import EventLoops
import Glibc
import HTTPServer
import HatoTesting
import HatoWire
import ObjectModel
import SQLiteStorage
import Testing

@testable import NCMBAdapter

/// The world that the vectors were recorded in: a server on a port of the kernel's choice, over a
/// real data folder.
///
/// User `USER000000000001` with the sessions `TOKEN` and `TOKEN2`, owner of the `Chat` objects `OBJ1`
/// and `OBJ0000000000004`; user `yamada` with the password `p@ss word` where a test asks for it, and
/// one with an unconfirmed address.
final class World {
    static let applicationKey = String(repeating: "A", count: 64)
    static let clientKey = String(repeating: "C", count: 64)
    static let userID: Text = "USER000000000001"

    struct Wishes {
        var settings = ApplicationSettings()
        var hasYamada = true
        var loopCount = 1
        var documents = DocumentLimits()
        var queries = QueryLimits()
        var listDeadline = StoreLimits().listDeadline
    }

    let port: Int
    let application: Application
    let applications: SQLiteApplicationStore
    let services: BackendServices
    let router: Router

    private let folder: TemporaryFolder
    private let group: EventLoopGroup
    private let server: HTTPServer
    private let passwordPool: WorkerPool

    private init(_ folder: TemporaryFolder, _ wishes: Wishes) throws {
        self.folder = folder
        group = try EventLoopGroup(count: wishes.loopCount, limits: LoopLimits())
        let turns = LoopTurns(loops: wishes.loopCount)
        for loop in group.loops {
            let index = loop.index
            loop.atTurnEnd { turns.endTurn(onLoop: index) }
        }
        applications = try World.open(folder, turns: turns, listDeadline: wishes.listDeadline)
        guard let application = applications.application(named: "test") else {
            throw TestFailure.malformed("no application")
        }
        self.application = application
        passwordPool = try WorkerPool(name: "passwords", threads: 1, queueLimit: 100)
        services = BackendServices(
            applications: ApplicationDirectory(store: applications),
            sessions: SessionService(random: SecureRandom()),
            passwords: PasswordService(
                pool: passwordPool,
                hasher: World.hasher,
                random: SecureRandom()
            ),
            loginLimiter: LoginLimiter()
        )
        var router = Router()
        NCMBRoutes(
            services: services,
            limits: wishes.documents,
            queryLimits: wishes.queries,
            report: { _ in }
        ).register(on: &router)
        self.router = router
        var configuration = HTTPConfiguration()
        configuration.renderFailure = { NCMBRoutes.response(to: $0) }
        server = HTTPServer(group: group, router: router, configuration: configuration)
        port = Int(try server.listen(ListenAddress(host: "127.0.0.1", port: 0)))
        try group.start()
    }

    deinit {
        server.stop(within: .seconds(1))
        group.stop()
        passwordPool.close()
        applications.close()
    }

    /// Makes the world anew and serves it.
    static func serving(_ wishes: Wishes = Wishes()) async throws -> World {
        let seed = try await (wishes.hasYamada ? seedWithYamada : seedAlone).value
        let world = try World(seed.unpacked(), wishes)
        if wishes.settings != ApplicationSettings() {
            try world.applications.set(wishes.settings, forApplicationNamed: "test")
        }
        return world
    }

    /// Sends one request over a connection of its own.
    func request(
        _ method: String,
        _ path: String,
        session: String? = nil,
        headers: [(String, String)] = [],
        body: String? = nil
    ) throws -> TestHTTPResponse {
        let client = try TestHTTPClient(port: port)
        defer { client.close() }
        var fields = [("X-NCMB-Application-Key", World.applicationKey)] + headers
        if let session { fields.append(("X-NCMB-Apps-Session-Token", session)) }
        return try client.request(
            method,
            "/2013-09-01" + path,
            headers: fields,
            body: body.map { Array($0.utf8) }
        )
    }

    /// Sends bytes as they are.
    func answer(to bytes: [UInt8]) throws -> TestHTTPResponse {
        let client = try TestHTTPClient(port: port)
        defer { client.close() }
        try client.send(bytes)
        return try client.response()
    }
}

// MARK: - Making it

extension World {
    /// Cheap: the cost has tests of its own.
    private static let hasher = PasswordHasher(
        cost: PasswordHasher.Cost(memoryKibibytes: 64, passes: 1, lanes: 1),
        random: SecureRandom()
    )

    private static func open(
        _ folder: TemporaryFolder,
        turns: LoopTurns?,
        listDeadline: Duration = StoreLimits().listDeadline
    ) throws -> SQLiteApplicationStore {
        var limits = StoreLimits()
        limits.listDeadline = listDeadline
        let applications = try SQLiteApplicationStore(
            folder: try DataFolder(path: folder.path(of: "data")),
            environment: StoreEnvironment(
                now: { World.now },
                random: { UInt64.random(in: .min ... .max) }
            ),
            limits: limits,
            threads: try StoreThreads(limits: limits, turns: turns),
            onChange: { _, _ in }
        )
        applications.openAll { Issue.record("\($0.name): \($1.cause)") }
        return applications
    }

    private static var now: Timestamp {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        return Timestamp(
            millisecondsSinceEpoch: Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000
        )
    }

    /// A closed data folder, kept as bytes: each world begins as a copy of it.
    private struct Seed: Sendable {
        static let files = ["hato.db", "apps/APP0000000000001/objects.db"]

        let contents: [[UInt8]]

        func unpacked() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            for part in ["data", "data/apps", "data/apps/APP0000000000001"] {
                mkdir(folder.path(of: part), 0o700)
            }
            for (name, content) in zip(Seed.files, contents) {
                try folder.write(content, to: "data/" + name)
            }
            return folder
        }
    }

    private static let seedWithYamada = Task { try await makeSeed(hasYamada: true) }
    private static let seedAlone = Task { try await makeSeed(hasYamada: false) }

    private static func makeSeed(hasYamada: Bool) async throws -> Seed {
        let folder = try TemporaryFolder()
        let applications = try open(folder, turns: nil)
        let application = Application(
            id: "APP0000000000001",
            name: "test",
            applicationKey: Text(applicationKey),
            clientKey: Text(clientKey),
            relayKey: "relay",
            relaySecret: "secret"
        )
        try applications.create(application)
        let objects = try applications.objects(of: application)
        var drawn: [(id: Text, wished: Text)] = []
        for (token, lifetime) in [("TOKEN", 3_600_000), ("TOKEN2", 3_600_000), ("EXPIRED", 0)] {
            let id = try await signIn(objects, token: token, lifetimeMilliseconds: Int64(lifetime))
            if drawn.isEmpty { drawn.append((id, userID)) }
        }
        if hasYamada { try await makeYamada(objects) }
        for wished: Text in ["OBJ1", "OBJ0000000000004"] {
            let outcome = try await objects.commit(
                .create(
                    className: try ClassName(dataStore: "Chat"),
                    changes: [FieldChange(name: "body", operation: .set(.string("hello")))],
                    acl: nil,
                    by: Principal(userID: drawn[0].id)
                )
            )
            guard case .created(let id, _) = outcome else {
                throw TestFailure.malformed("an outcome that is no creation")
            }
            drawn.append((id, wished))
        }
        applications.close()
        try rename(drawn, in: folder.path(of: "data/" + Seed.files[1]))
        return Seed(contents: try Seed.files.map { try folder.read("data/" + $0) })
    }

    /// Signs the world's first user in; the first call makes it.
    private static func signIn(
        _ objects: any ObjectStore,
        token: String,
        lifetimeMilliseconds: Int64
    ) async throws -> Text {
        let session = NewSession(
            tokenHash: SHA256.digest(of: token),
            kind: .anonymous,
            lifetimeMilliseconds: lifetimeMilliseconds
        )
        let data = AuthData(
            provider: "anonymous",
            providerID: "world",
            json: Array(#"{"id":"world"}"#.utf8)
        )
        let signUp = SignUp(authData: [data], session: session)
        let outcome = try await objects.commit(
            .signUpOrIn(signUp, provider: "anonymous", providerID: "world")
        )
        guard case .signedIn(let account, _) = outcome else {
            throw TestFailure.malformed("an outcome that is no sign-in")
        }
        return account.object.id
    }

    private static func makeYamada(_ objects: any ObjectStore) async throws {
        for (name, password, mailAddress) in [
            ("yamada", "p@ss word", nil), ("unconfirmed", "p+1", "y@example.com"),
        ] as [(Text, String, Text?)] {
            let session = NewSession(
                tokenHash: SHA256.digest(of: "of \(name)"),
                kind: .password,
                lifetimeMilliseconds: 3_600_000
            )
            let signUp = SignUp(
                userName: name,
                passwordHash: try hasher.hash(Array(password.utf8)),
                mailAddress: mailAddress,
                session: session
            )
            _ = try await objects.commit(.signUp(signUp))
        }
    }

    /// Gives objects the ids that the vectors' paths are signed with: no port writes a chosen id.
    private static func rename(_ ids: [(id: Text, wished: Text)], in file: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open(file, &database) == SQLITE_OK else {
            throw TestFailure.malformed("no database at \(file)")
        }
        for (id, wished) in ids {
            let sql = """
                UPDATE object SET id = '\(wished)' WHERE id = '\(id)';
                UPDATE object SET acl = replace(acl, '\(id)', '\(wished)');
                UPDATE "grant" SET principal = '\(wished)' WHERE principal = '\(id)';
                UPDATE session SET user_id = '\(wished)' WHERE user_id = '\(id)';
                """
            guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
                throw TestFailure.malformed(String(cString: sqlite3_errmsg(database)))
            }
        }
    }
}
