import EventLoops
import HatoWire
import ObjectModel
import SQLStorage
import Telemetry

/// Answers lists on the read connection of one place in the lanes of an application's lists.
///
/// Invariant of `@unchecked Sendable`: `session` is touched with `lock` held. One list at a time has
/// the place; the lock hands the connection from its thread to the next one's, and keeps off the
/// writer thread, which closes an idle application's connections.
final class ListReader: @unchecked Sendable {
    private let lock = Guarded(())
    private let snapshot: StoreSnapshot
    private let limits: StoreLimits
    private let advisor: IndexAdvisor
    private let uses: IndexUses
    private let slowLists: SlowLists
    private let cacheBytes: Int
    private let answers: ByteBudget
    private let onWay: (@Sendable (ListWay) -> Void)?
    private let onOpening: @Sendable () -> Void
    private var session: ListSession?

    init(
        _ snapshot: StoreSnapshot,
        limits: StoreLimits,
        advisor: IndexAdvisor,
        uses: IndexUses,
        slowLists: SlowLists,
        cacheBytes: Int,
        answers: ByteBudget,
        onWay: (@Sendable (ListWay) -> Void)?,
        onOpening: @escaping @Sendable () -> Void
    ) {
        self.snapshot = snapshot
        self.limits = limits
        self.advisor = advisor
        self.uses = uses
        self.slowLists = slowLists
        self.cacheBytes = cacheBytes
        self.answers = answers
        self.onWay = onWay
        self.onOpening = onOpening
    }

    /// Answers the query in a transaction of its own, or `unavailable` after the deadline or once
    /// nobody wants it: then it is not begun, and ends if it runs.
    ///
    /// `mayGiveWay`: nil where slow lists run. Elsewhere it says whether another list waits, and nil is
    /// returned for a list that has taken so long that it is to be asked again among the slow ones.
    func answer(
        _ query: Query,
        in envelope: ListEnvelope,
        as principal: Principal,
        before deadline: ContinuousClock.Instant,
        mayGiveWay: (@Sendable () -> Bool)?,
        unless isUnwanted: @escaping @Sendable () -> Bool
    ) -> Result<ObjectList, DomainError>? {
        lock.withLock { _ in
            if isUnwanted() { return .failure(ListReader.unwanted) }
            // Taken before the transaction begins: an older list of classes could lack one.
            guard let record = snapshot.directory[query.className] else {
                var list = ObjectList(json: [], count: query.wantsCount ? 0 : nil)
                envelope.open(list.count, &list.json)
                envelope.close(&list.json)
                return .success(list)
            }
            let policy = AccessPolicy(principal: principal, settings: record.settings)
            guard policy.isPermitted(.find) else { return .failure(DomainError(.forbidden)) }
            let request = ListRequest(query, record: record, policy: policy, limits: limits)
            let start = ContinuousClock.now
            let slice = start + slice(of: query)
            let end = min(deadline, start + limits.listSlice * ListReader.slicesAlone)
            let answer = list(request, in: envelope) {
                if isUnwanted() { return true }
                let now = ContinuousClock.now
                guard let mayGiveWay else { return now >= deadline }
                return now >= end || now >= slice && mayGiveWay()
            }
            let now = ContinuousClock.now
            if mayGiveWay == nil {
                // One that ended for another reason says nothing of how long it would have taken.
                if case .success = answer, now - start < limits.listSlice {
                    slowLists.remove(query)
                }
            } else if case .failure(let error) = answer, error.code == .unavailable,
                now >= min(slice, end), now < deadline, session?.hasLackedRoom != true,
                !isUnwanted()
            {
                slowLists.add(query)
                return nil
            }
            if let session {
                let cost = ListCost(examinedRows: session.examinedRows, duration: now - start)
                advisor.note(query, cost, record.indexes)
            }
            return answer
        }
    }

    private func list(
        _ request: ListRequest,
        in envelope: ListEnvelope,
        isOver: @escaping @Sendable () -> Bool
    ) -> Result<ObjectList, DomainError> {
        do {
            let session = try self.session ?? open()
            return .success(try session.list(request, in: envelope, isOver: isOver))
        } catch let error as DomainError {
            return .failure(error)
        } catch {
            if (error as? SQLiteFailure)?.isInterrupt != true { session = nil }
            return .failure(DomainError(.unavailable, cause: "\(error)"))
        }
    }

    private func slice(of query: Query) -> Duration {
        slowLists.contains(query) ? limits.knownSlowSlice : limits.listSlice
    }

    /// So many slices a list has in the quick lane while no other waits.
    private static let slicesAlone = 4

    private static let unwanted = DomainError(.unavailable, cause: "nobody waits for the list")

    func close() {
        lock.withLock { _ in session = nil }
    }

    /// Closes the connection unless a list runs on it.
    ///
    /// Returns whether none did.
    func closeIfIdle() -> Bool {
        lock.withLockIfAvailable { _ in session = nil } != nil
    }

    private func open() throws -> ListSession {
        let opened = try ListSession(
            snapshot,
            cacheBytes: cacheBytes,
            answers: answers,
            uses: uses,
            onWay: onWay
        )
        session = opened
        onOpening()
        return opened
    }
}
