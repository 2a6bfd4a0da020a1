import HatoTesting
import HatoWire
import ObjectModel
import Synchronization

@testable import SQLiteStorage

/// An envelope whose list stands still between the opening of its answer and the first object.
struct GatedList: Sendable {
    let opened: Mailbox<Bool>
    let gate: Mailbox<Bool>
    let closed: Mailbox<Bool>
    /// Openings that pass the gate first: those of lists that are given up and asked again.
    private let passes: Int
    private let openings = Openings()

    private final class Openings: Sendable {
        let count = Atomic(0)
    }

    /// `sharing`: another list with the same gate, which tells of both where it tells of one.
    init(passes: Int = 0, sharing other: GatedList? = nil) throws {
        self.passes = passes
        opened = try other?.opened ?? Mailbox()
        gate = try other?.gate ?? Mailbox()
        closed = try Mailbox()
    }

    var envelope: ListEnvelope {
        ListEnvelope(
            open: { _, _ in
                guard openings.count.add(1, ordering: .relaxed).newValue > passes else { return }
                opened.put(true)
                _ = try? gate.next("the gate")
            },
            close: { _ in closed.put(true) }
        )
    }

    func waitUntilOpened() async throws {
        _ = try await Task.detached { [opened] in try opened.next("the list") }.value
    }
}

extension Task where Success == ObjectList, Failure == any Error {
    /// Why the list was unavailable; empty when it was not.
    var unavailability: String {
        get async throws {
            do {
                _ = try await value
                return ""
            } catch let error as DomainError where error.code == .unavailable {
                return error.cause
            }
        }
    }
}

extension StoreRoom {
    /// Creates objects whose `n` counts from 0, in another application's store when there is one.
    func fill(count: Int, of other: SQLiteStore? = nil) async throws {
        let store = other ?? store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for n in 0..<count {
                group.addTask {
                    _ = try await store.commit(
                        .create(
                            className: .chat,
                            changes: [FieldChange(name: "n", operation: .set(.int(Int64(n))))],
                            acl: nil,
                            by: .stranger
                        )
                    )
                }
            }
            try await group.waitForAll()
        }
    }

    /// Makes another application and opens its store.
    func addStore(_ name: Text) throws -> SQLiteStore {
        let application = StoreRoom.application(name)
        try applications.create(application)
        return try applications.store(of: application)
    }
}
