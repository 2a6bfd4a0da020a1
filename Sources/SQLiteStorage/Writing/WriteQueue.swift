import EventLoops
import ObjectModel

/// A mutation whose caller waits.
struct PendingWrite: Sendable {
    let order: WriteOrder
    let waiter: UnsafeContinuation<Result<Outcome, DomainError>, Never>
}

/// The bounded queue in front of an application's writer.
final class WriteQueue: Sendable {
    enum Admission {
        case queued
        /// Queued, and the writer must be called.
        case first
        case full
        case closed
    }

    private struct State {
        var pending: [PendingWrite] = []
        /// Whether a call of the writer is under way that will look at `pending` again.
        var isCalled = false
        var isClosed = false
    }

    private let state = Guarded(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func add(_ write: PendingWrite) -> Admission {
        state.withLock { state in
            guard !state.isClosed else { return .closed }
            guard state.pending.count < limit else { return .full }
            state.pending.append(write)
            if state.isCalled { return .queued }
            state.isCalled = true
            return .first
        }
    }

    /// Takes at most `count` writes.
    func take(_ count: Int) -> [PendingWrite] {
        state.withLock { state in
            guard state.pending.count > count else {
                let taken = state.pending
                state.pending = []
                state.pending.reserveCapacity(taken.count)
                return taken
            }
            let taken = Array(state.pending.prefix(count))
            state.pending.removeFirst(count)
            return taken
        }
    }

    /// Says that the writer has done its call; returns whether it must be called again.
    func needsAnotherCall() -> Bool {
        state.withLock { state in
            state.isCalled = !state.pending.isEmpty
            return state.isCalled
        }
    }

    var count: Int {
        state.withLock { $0.pending.count }
    }

    var isIdle: Bool {
        state.withLock { !$0.isCalled }
    }

    /// Whether nobody waits and writes may still come: time for what can wait.
    var isQuiet: Bool {
        state.withLock { $0.pending.isEmpty && !$0.isClosed }
    }

    /// Takes no more writes.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
