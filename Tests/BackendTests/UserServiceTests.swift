import Backend
import Cryptography
import EventLoops
import HatoTesting
import HatoWire
import ObjectModel
import SQLiteStorage
import Testing

@Suite("UserService")
struct UserServiceTests {
    /// An application without users, on a real file.
    private final class Room {
        let users: UserService
        let objects: ObjectService
        private let folder: TemporaryFolder
        private let applications: SQLiteApplicationStore
        private let pool: WorkerPool

        init(queueLimit: Int = 100, settings: ApplicationSettings = ApplicationSettings()) throws {
            folder = try TemporaryFolder()
            let limits = StoreLimits()
            applications = try SQLiteApplicationStore(
                folder: try DataFolder(path: folder.path(of: "data")),
                environment: StoreEnvironment(
                    now: { UserServiceTests.now },
                    random: { UInt64.random(in: .min ... .max) }
                ),
                limits: limits,
                threads: try StoreThreads(limits: limits, turns: nil),
                onChange: { _, _ in }
            )
            let application = Application(
                id: "A",
                name: "a",
                applicationKey: "K",
                clientKey: "C",
                relayKey: "R",
                relaySecret: "S",
                settings: settings
            )
            try applications.create(application)
            pool = try WorkerPool(name: "passwords", threads: 1, queueLimit: queueLimit)
            let cost = PasswordHasher.Cost(memoryKibibytes: 64, passes: 1, lanes: 1)
            let services = BackendServices(
                applications: ApplicationDirectory(store: applications),
                sessions: SessionService(random: SecureRandom()),
                passwords: PasswordService(
                    pool: pool,
                    hasher: PasswordHasher(cost: cost, random: SecureRandom()),
                    random: SecureRandom()
                ),
                loginLimiter: LoginLimiter()
            )
            users = try services.users(of: application, loopIndex: 0)
            objects = try services.objects(of: application, loopIndex: 0)
        }

        deinit {
            pool.close()
            applications.close()
        }

        func logIn(
            _ name: UserService.LoginName = .userName("yamada"),
            _ password: Text,
            from address: Text = "192.0.2.1"
        ) async throws -> UserService.SignedIn {
            try await users.logIn(
                name,
                password: password,
                network: address,
                now: UserServiceTests.now
            )
        }
    }

    private static let now = Timestamp(millisecondsSinceEpoch: 1_796_000_000_000)

    @Test("the right password from elsewhere still works when an address is over its limit")
    func limit() async throws {
        let room = try Room()
        _ = try await room.users.signUp(UserDraft(userName: "yamada", password: "right"))
        for _ in 1...10 {
            await #expect(throws: DomainError(.wrongPassword)) {
                _ = try await room.logIn(.userName("yamada"), "wrong")
            }
        }
        await #expect(throws: DomainError(.tooManyRequests)) {
            _ = try await room.logIn(.userName("yamada"), "right")
        }
        let elsewhere = try await room.logIn(
            .userName("yamada"),
            "right",
            from: "192.0.2.2"
        )
        #expect(elsewhere.account.userName == "yamada")
    }

    @Test("of a hundred guesses at once ten are told, and no account's name is told apart")
    func burst() async throws {
        let room = try Room()
        _ = try await room.users.signUp(UserDraft(userName: "yamada", password: "right"))
        for name: Text in ["yamada", "nobody"] {
            let users = room.users
            let told = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        do throws(DomainError) {
                            _ = try await users.logIn(
                                .userName(name),
                                password: "wrong",
                                network: "192.0.2.1",
                                now: UserServiceTests.now
                            )
                            return false
                        } catch {
                            return error.code == .wrongPassword
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(told == 10)
        }
    }

    @Test("an unconfirmed address, an unknown one and an anonymous user are one wrong password")
    func noPassword() async throws {
        let room = try Room()
        _ = try await room.users.signUp(
            UserDraft(userName: "yamada", password: "right", mailAddress: "y@example.com")
        )
        let data = AuthData(
            provider: "anonymous",
            providerID: "x",
            json: Array(#"{"id":"x"}"#.utf8)
        )
        let entry = UserDraft.ProviderEntry(provider: "anonymous", data: data)
        let anonymous = try await room.users.signUp(UserDraft(authData: [entry]))
        for (name, password) in [
            (.mailAddress("y@example.com"), "right"), (.mailAddress("z@example.com"), "right"),
            (.userName(anonymous.account.userName), "right"), (.userName("nobody"), "right"),
        ] as [(UserService.LoginName, Text)] {
            await #expect(throws: DomainError(.wrongPassword)) {
                _ = try await room.logIn(name, password)
            }
        }
    }

    @Test("a full password queue refuses sign-ups and logins and stores nothing")
    func fullQueue() async throws {
        let room = try Room(queueLimit: 0)
        let full = DomainError(.unavailable, cause: "the password queue is full")
        await #expect(throws: full) {
            _ = try await room.users.signUp(UserDraft(userName: "yamada", password: "p"))
        }
        await #expect(throws: full) { _ = try await room.logIn(.userName("yamada"), "p") }
        let list = try await room.objects.list(
            Query(className: .user, wantsCount: true),
            as: .administrator
        )
        #expect(list.count == 0)
    }

    @Test("a password over its limit is wrong without being hashed")
    func longPassword() async throws {
        let room = try Room(queueLimit: 0)
        let long = Text(String(repeating: "p", count: PasswordService.limitBytes + 1))
        await #expect(throws: DomainError(.wrongPassword)) {
            _ = try await room.logIn(.userName("yamada"), long)
        }
    }

    @Test("a provider that is linked belongs to one user, and unlinking needs no proof")
    func providers() async throws {
        let room = try Room()
        let entry = { (id: Text) in
            UserDraft.ProviderEntry(
                provider: "anonymous",
                data: AuthData(
                    provider: "anonymous",
                    providerID: id,
                    json: Array("{\"id\":\"\(id)\"}".utf8)
                )
            )
        }
        let first = try await room.users.signUp(UserDraft(authData: [entry("1")]))
        let second = try await room.users.signUp(UserDraft(userName: "u", password: "p"))
        let update = { (draft: UserDraft, account: UserAccount) in
            try await room.users.update(
                account.object.id,
                draft,
                by: Principal(userID: account.object.id),
                keptTokenHash: nil
            )
        }
        await #expect(throws: DomainError(.duplicate, "authData")) {
            _ = try await update(UserDraft(authData: [entry("1")]), second.account)
        }
        await #expect(throws: DomainError(.notEnabled, "google")) {
            let data = AuthData(provider: "google", providerID: "1", json: Array("{}".utf8))
            _ = try await update(
                UserDraft(authData: [UserDraft.ProviderEntry(provider: "google", data: data)]),
                second.account
            )
        }
        for provider: Text in ["anonymous", "facebook"] {
            _ = try await update(
                UserDraft(authData: [UserDraft.ProviderEntry(provider: provider, data: nil)]),
                first.account
            )
        }
        _ = try await update(UserDraft(authData: [entry("1")]), second.account)
        let login = try await room.users.signUp(UserDraft(authData: [entry("1")]))
        #expect(!login.isNew)
        #expect(login.account.object.id == second.account.object.id)
    }
}
