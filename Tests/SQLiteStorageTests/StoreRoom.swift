import HatoTesting
import HatoWire
import ObjectModel
import Synchronization
import Telemetry

@testable import SQLiteStorage

/// A data folder with one application: real files, a clock that stands still until it is set, and
/// what the observer was told.
final class StoreRoom: Sendable {
    let folder: TemporaryFolder
    let applications: SQLiteApplicationStore
    let application: Application
    let store: SQLiteStore
    let clock: TestClock
    let told: ToldChanges
    let threads: StoreThreads
    let disk: TestDisk

    /// Opens the folder (`path`: one that another process made), or one of its own.
    ///
    /// A folder that has the application keeps it.
    init(
        folder: TemporaryFolder? = nil,
        path: String? = nil,
        limits: StoreLimits = StoreLimits(),
        turns: LoopTurns? = nil,
        clock: TestClock = TestClock(),
        random: (@Sendable () -> UInt64)? = nil,
        building: (@Sendable (Int64) -> Bool)? = nil,
        listing: (@Sendable (ListWay) -> Void)? = nil,
        answers: ByteBudget = ByteBudget(limit: .max)
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        let told = ToldChanges()
        self.folder = folder
        self.clock = clock
        self.told = told
        let disk = TestDisk()
        self.disk = disk
        threads = try StoreThreads(limits: limits, turns: turns, answers: answers)
        let random = random ?? { UInt64.random(in: .min ... .max) }
        var environment = StoreEnvironment(now: { clock.now }, random: random)
        environment.failure = { disk.failure(at: $0) }
        environment.building = building
        environment.listing = listing
        applications = try SQLiteApplicationStore(
            folder: try DataFolder(path: (path ?? folder.path) + "/data"),
            environment: environment,
            limits: limits,
            threads: threads,
            onChange: { _, changes in told.append(changes) }
        )
        if let known = applications.application(named: "test") {
            application = known
        } else {
            application = StoreRoom.application("test")
            try applications.create(application)
        }
        store = try applications.store(of: application)
    }

    deinit {
        applications.close()
    }

    static func application(_ name: Text) -> Application {
        Application(
            id: name,
            name: name,
            applicationKey: Text("a-" + name.string),
            clientKey: Text("c-" + name.string),
            relayKey: Text("r-" + name.string),
            relaySecret: Text("s-" + name.string)
        )
    }

    /// Creates an object and returns its id.
    func create(
        _ className: ClassName = .chat,
        _ fields: [(Text, Value)] = [],
        acl: ACL? = nil,
        by principal: Principal = .stranger
    ) async throws -> Text {
        let changes = fields.map { FieldChange(name: $0.0, operation: .set($0.1)) }
        let mutation = Mutation.create(
            className: className,
            changes: changes,
            acl: acl,
            by: principal
        )
        guard case .created(let id, _) = try await store.commit(mutation) else {
            throw TestFailure.malformed("an outcome that is no creation")
        }
        return id
    }

    /// Reads an object on loop 0; nil when it may not be read or is not there.
    func read(
        _ className: ClassName = .chat,
        _ id: Text,
        as principal: Principal = .stranger
    )
        throws -> String?
    {
        var output: [UInt8] = []
        let outcome = try store.reader(onLoop: 0).append(className, id, as: principal, to: &output)
        guard case .found = outcome else { return nil }
        return String(decoding: output, as: UTF8.self)
    }
}

extension ClassName {
    static let chat = named("Chat")

    static func named(_ name: Text) -> ClassName {
        do {
            return try ClassName(dataStore: name)
        } catch {
            preconditionFailure("a test's class name is wrong")
        }
    }
}

extension Value {
    static func text(_ text: Text) -> Value { .string(text) }
    static func int(_ value: Int64) -> Value { .number(JSONNumber(value)) }
}

extension Principal {
    static func user(_ id: Text, roles: [Text] = []) -> Principal {
        Principal(userID: id, roles: roles)
    }
}

/// Fails once, at the moment that the test names; or has the writing thread do something there.
final class TestDisk: Sendable {
    typealias Moment = StoreEnvironment.CommitMoment

    private let fault = Mutex<(Moment, @Sendable () -> SQLiteFailure?)?>(nil)

    /// `body` runs on the writing thread at the next such moment only.
    func atNext(_ moment: Moment, _ body: @escaping @Sendable () -> SQLiteFailure?) {
        fault.withLock { $0 = (moment, body) }
    }

    func failNext(_ moment: Moment, code: Int32) {
        atNext(moment) { SQLiteFailure(code: code, message: "the test's failure") }
    }

    func failure(at moment: Moment) -> SQLiteFailure? {
        let body = fault.withLock { fault -> (@Sendable () -> SQLiteFailure?)? in
            guard let (awaited, body) = fault, awaited == moment else { return nil }
            fault = nil
            return body
        }
        return body?()
    }
}

/// A wall clock that the test sets.
final class TestClock: Sendable {
    /// 2026-01-01T00:00:00.000Z.
    static let start: Int64 = 1_767_225_600_000

    private let milliseconds = Atomic<Int64>(TestClock.start)

    var now: Timestamp {
        Timestamp(millisecondsSinceEpoch: milliseconds.load(ordering: .relaxed))
    }

    func advance(milliseconds count: Int64) {
        milliseconds.add(count, ordering: .relaxed)
    }
}

/// What the observer was told, in its order.
final class ToldChanges: Sendable {
    private let changes = Mutex<[Change]>([])
    private let visit = Mutex<(@Sendable () -> Void)?>(nil)

    var all: [Change] { changes.withLock { $0 } }

    /// Has `body` called, on the writer's thread, at the next changes only.
    func onFirst(_ body: @escaping @Sendable () -> Void) {
        visit.withLock { $0 = body }
    }

    func append(_ more: [Change]) {
        changes.withLock { $0.append(contentsOf: more) }
        let body = visit.withLock { visit in
            defer { visit = nil }
            return visit
        }
        body?()
    }
}

extension StoreRoom {
    func update(
        _ id: Text,
        _ fields: [(Text, Value)] = [],
        acl: ACL? = nil,
        by principal: Principal = .stranger
    ) async throws {
        let changes = fields.map { FieldChange(name: $0.0, operation: .set($0.1)) }
        _ = try await store.commit(
            .update(className: .chat, id: id, changes: changes, acl: acl, by: principal)
        )
    }

    func delete(_ id: Text, by principal: Principal = .stranger) async throws {
        _ = try await store.commit(.delete(className: .chat, id: id, by: principal))
    }

    /// Lists and returns the values of the number field `n`, in order, and the count.
    func list(
        _ filter: Filter = .all([]),
        order: [OrderTerm] = [],
        limit: Int = 100,
        skip: Int = 0,
        wantsCount: Bool = false,
        as principal: Principal = .stranger
    ) async throws -> (numbers: [Int], count: Int?) {
        let query = Query(
            className: .chat,
            filter: filter,
            order: order,
            limit: limit,
            skip: skip,
            wantsCount: wantsCount
        )
        let list = try await store.list(query, as: principal)
        guard case .array(let objects) = try JSON.parse([0x5B] + list.json + [0x5D]) else {
            throw TestFailure.malformed("no array")
        }
        let numbers = objects.compactMap { object -> Int? in
            guard case .object(let members) = object, case .number(let number)? = members["n"]
            else { return nil }
            return Int(number.text.string)
        }
        return (numbers, list.count)
    }
}

extension FieldPath {
    static func named(_ text: Text) -> FieldPath {
        do {
            return try FieldPath(text)
        } catch {
            preconditionFailure("a test's path is wrong")
        }
    }
}

extension Filter {
    static func field(_ name: Text, _ condition: FieldOperator) -> Filter {
        .field(FieldPath.named(name), condition)
    }
}

extension OrderTerm {
    static func ascending(_ name: Text) -> OrderTerm {
        OrderTerm(path: .named(name), isDescending: false)
    }

    static func descending(_ name: Text) -> OrderTerm {
        OrderTerm(path: .named(name), isDescending: true)
    }
}

extension ACL {
    /// Each key reads and writes.
    static func only(_ keys: Text...) -> ACL {
        ACL(keys.map { Entry(key: $0, mayRead: true, mayWrite: true) })
    }

    static func readable(by keys: Text...) -> ACL {
        ACL(keys.map { Entry(key: $0, mayRead: true, mayWrite: false) })
    }
}
