import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Synchronization

@testable import SQLiteStorage

/// A real store with one class, written to by many at once, whose indexes the test holds.
final class StoreHouse: Sendable {
    /// How far the indexes are.
    enum Indexes: String, CaseIterable {
        case absent = "no index"
        case building = "indexes being built"
        case built = "every field indexed"
    }

    let className: ClassName
    private let folder: TemporaryFolder
    private let applications: SQLiteApplicationStore
    private let store: SQLiteStore
    private let knowledge = Knowledge()

    /// `limits`: those that choose how lists come by their rows.
    init(_ limits: StoreLimits = StoreLimits()) throws {
        className = try ClassName(dataStore: "Thing")
        folder = try TemporaryFolder()
        var limits = limits
        // The test says which indexes there are.
        limits.ownIndexes = 0
        let knowledge = knowledge
        var environment = StoreEnvironment(
            now: { knowledge.now },
            random: { UInt64.random(in: .min ... .max) }
        )
        environment.building = { knowledge.mayBuild(after: $0) }
        environment.listing = { knowledge.note($0) }
        applications = try SQLiteApplicationStore(
            folder: try DataFolder(path: folder.path(of: "data")),
            environment: environment,
            limits: limits,
            threads: try StoreThreads(limits: limits, turns: nil),
            onChange: { _, changes in knowledge.learn(changes) }
        )
        let application = Application(
            id: "test",
            name: "test",
            applicationKey: "a",
            clientKey: "c",
            relayKey: "r",
            relaySecret: "s"
        )
        try applications.create(application)
        store = try applications.store(of: application)
    }

    deinit {
        applications.close()
    }

    /// How lists came by their rows since this was asked last.
    func takeWays() -> [String: Int] { knowledge.takeWays() }

    /// Asks the store.
    func answer(_ question: Question, _ objects: [Subject]) async throws -> Answer {
        let list = try await store.list(question.query, as: question.principal)
        guard case .array(let found) = try JSON.parse([0x5B] + list.json + [0x5D]) else {
            throw TestFailure.malformed("a list that is no array")
        }
        let numbers = Dictionary(uniqueKeysWithValues: objects.map { ($0.id, $0.number) })
        return Answer(
            numbers: found.map { object in
                guard case .object(let members) = object,
                    case .string(let id)? = members["objectId"]
                else { return -1 }
                return numbers[id] ?? -1
            },
            count: list.count
        )
    }

    /// What is wrong with the store's indexes, or anything else in it.
    func complaints() async throws -> [Text] {
        try await store.verify()
    }
}

extension StoreHouse {
    /// A document that is to be created.
    struct Draft: Sendable {
        var number: Int
        var fields: [ValueMember]
        var acl: [ACL.Entry]
    }

    /// Creates documents, all at once: their order is the writer's choice.
    func create(_ drafts: [Draft]) async throws -> [Subject] {
        try await withThrowingTaskGroup(of: Subject.self) { group in
            for draft in drafts { group.addTask { try await self.create(draft) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    func create(_ draft: Draft) async throws -> Subject {
        let mutation = Mutation.create(
            className: className,
            changes: StoreHouse.changes(draft.fields),
            acl: ACL(draft.acl),
            by: .administrator
        )
        guard case .created(let id, let created) = try await store.commit(mutation),
            let object = knowledge.object(id)
        else { throw TestFailure.malformed("a creation that nobody was told of") }
        return Subject(
            number: draft.number,
            fields: draft.fields,
            acl: draft.acl,
            id: id,
            row: object.row,
            created: created,
            updated: created
        )
    }

    /// Sets fields of an object and, if there is one, another access list.
    func update(
        _ subject: Subject,
        _ changes: [ValueMember],
        acl: [ACL.Entry]?
    ) async throws -> Subject {
        let mutation = Mutation.update(
            className: className,
            id: subject.id,
            changes: StoreHouse.changes(changes),
            acl: acl.map { ACL($0) },
            by: .administrator
        )
        guard case .updated(let moment) = try await store.commit(mutation) else {
            throw TestFailure.malformed("an update that is none")
        }
        var updated = subject
        updated.set(changes)
        updated.updated = moment
        updated.acl = acl ?? subject.acl
        return updated
    }

    func delete(_ subject: Subject) async throws {
        _ = try await store.commit(
            .delete(className: className, id: subject.id, by: .administrator)
        )
    }

    func advanceClock() { knowledge.advance() }

    private static func changes(_ fields: [ValueMember]) -> [FieldChange] {
        fields.map { FieldChange(name: $0.name, operation: .set($0.value)) }
    }
}

extension StoreHouse {
    /// Every path that may have an index.
    private static let paths: [FieldPath] = {
        var paths: [FieldPath] = []
        for path in Field.allCases.flatMap(\.paths) + FieldPath.system.suffix(2)
        where !paths.contains(path) {
            paths.append(path)
        }
        return paths
    }()

    /// Brings the indexes to a state; of `building`, about half of the objects are in them.
    func bring(_ indexes: Indexes, _ objects: [Subject]) async throws {
        let rows = objects.map(\.row).sorted()
        switch indexes {
        case .absent:
            _ = try await store.commit(
                .setIndexes(className, added: [], removed: store.indexes(of: className).map(\.path))
            )
        case .building:
            knowledge.hold(after: rows.isEmpty ? 0 : rows[rows.count / 2])
            _ = try await store.commit(
                .setIndexes(className, added: StoreHouse.paths, removed: [])
            )
            guard !store.indexes(of: className).contains(where: \.isReady) else {
                throw TestFailure.malformed("an index that the gate did not hold")
            }
        case .built:
            knowledge.hold(after: .max)
            _ = try await store.commit(
                .setIndexes(className, added: StoreHouse.paths, removed: [])
            )
            let deadline = Deadline()
            while !store.indexes(of: className).allSatisfy(\.isReady) {
                if deadline.hasPassed { throw TestFailure.malformed("an index never built") }
                store.tend()
                await Task.yield()
            }
        }
    }
}
