import EventLoops
import ObjectModel

/// The threads of the lists, in two lanes, so that quick lists don't wait behind slow ones.
///
/// Every list begins in the quick lane. One that is not done after its slice is given up there when
/// another waits, after a few slices in any case, and asked again in the slow lane, whose threads leave
/// the processor to all others: what was begun is lost, and no thread has to be made or stopped for it.
/// In both lanes applications
/// take turns, and where the slow lane has more than one thread, one application never has all.
final class ListLanes: Sendable {
    /// Where a list runs: among the connections that its application has for lists.
    struct Place: Sendable {
        let index: Int
        let isSlow: Bool
    }

    /// All places that an application's lists may get, by index.
    let places: [Place]
    private let quick: WorkerPool
    private let slow: WorkerPool

    /// Stores count from 1.
    private static let operatorKey = 0
    /// Beside busy threads one of the slow lane gets a third of their time.
    private static let slowNiceness: Int32 = 5

    init(_ limits: StoreLimits) throws(LoopFailure) {
        quick = try WorkerPool(
            name: "list",
            threads: limits.listThreads,
            queueLimit: limits.listQueue,
            keepsDeadlines: true
        )
        do {
            slow = try WorkerPool(
                name: "slow-list",
                threads: limits.slowListThreads,
                threadsPerKey: limits.slowListsPerApplication,
                queueLimit: limits.listQueue,
                niceness: ListLanes.slowNiceness,
                keepsDeadlines: true
            )
        } catch {
            quick.close()
            throw error
        }
        let quickCount = quick.threadCount
        places = (0..<quickCount + limits.slowListsPerApplication).map {
            Place(index: $0, isSlow: $0 >= quickCount)
        }
    }

    /// Runs a list of the application, whose store has that number; `body` returns nil when the list
    /// is for the slow lane.
    ///
    /// Errors: `unavailable` when the lists' queue is full, at the deadline of one that waits, and
    /// when the server stops.
    func run<Answer: Sendable>(
        of application: Int,
        before deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable (Place) -> Result<Answer, DomainError>?
    ) async -> Result<Answer, DomainError> {
        await withUnsafeContinuation { waiter in
            let isQueued = quick.enqueue(for: application, before: deadline) { turn in
                guard case .began(let index) = turn else {
                    return waiter.resume(returning: .failure(ListLanes.refusal(turn)))
                }
                if let answer = body(self.places[index]) {
                    return waiter.resume(returning: answer)
                }
                self.runSlowly(of: application, before: deadline, body, waiter)
            }
            if !isQueued { waiter.resume(returning: .failure(ListLanes.full)) }
        }
    }

    /// Runs a step of what an operator has asked: as one of the slow lists, of no application.
    func runForOperator<Answer: Sendable>(
        _ body: @escaping @Sendable () -> Result<Answer, DomainError>
    ) async -> Result<Answer, DomainError> {
        do {
            return try await slow.run(for: ListLanes.operatorKey) { _ in body() }
        } catch {
            return .failure(ListLanes.full)
        }
    }

    /// Whether a list waits for a thread of the quick lane.
    var isQuickLaneWanted: Bool { quick.hasWaitingJobs }

    /// Ends the threads; lists that wait are refused.
    func close() {
        quick.close(discardsWaiting: true)
        slow.close(discardsWaiting: true)
    }

    private func runSlowly<Answer: Sendable>(
        of application: Int,
        before deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable (Place) -> Result<Answer, DomainError>?,
        _ waiter: UnsafeContinuation<Result<Answer, DomainError>, Never>
    ) {
        let quickCount = quick.threadCount
        let isQueued = slow.enqueue(for: application, before: deadline) { turn in
            guard case .began(let index) = turn else {
                return waiter.resume(returning: .failure(ListLanes.refusal(turn)))
            }
            let answer = body(self.places[quickCount + index])
            waiter.resume(returning: answer ?? .failure(ListLanes.full))
        }
        if !isQueued { waiter.resume(returning: .failure(ListLanes.full)) }
    }

    private static let full = DomainError(.unavailable, cause: "the queue for lists is full")

    private static func refusal(_ turn: WorkerTurn) -> DomainError {
        let isLate = turn == .late
        return DomainError(
            .unavailable,
            cause: isLate ? "the list waited until its deadline" : "the store is closing"
        )
    }
}
