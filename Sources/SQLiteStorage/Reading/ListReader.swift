import EventLoops
import HatoWire
import ObjectModel
import SQLStorage

/// Answers lists on the read connection of one pool thread.
///
/// Invariant of `@unchecked Sendable`: `session` is touched with `lock` held. One pool thread uses
/// the reader; the lock is for the writer thread, which closes an idle application's connections.
final class ListReader: @unchecked Sendable {
    private let lock = Guarded(())
    private let snapshot: StoreSnapshot
    private let limits: StoreLimits
    private let advisor: IndexAdvisor
    private let uses: IndexUses
    private let cacheBytes: Int
    private let onWay: (@Sendable (ListWay) -> Void)?
    private let onOpening: @Sendable () -> Void
    private var session: ListSession?

    init(
        _ snapshot: StoreSnapshot,
        limits: StoreLimits,
        advisor: IndexAdvisor,
        uses: IndexUses,
        cacheBytes: Int,
        onWay: (@Sendable (ListWay) -> Void)?,
        onOpening: @escaping @Sendable () -> Void
    ) {
        self.snapshot = snapshot
        self.limits = limits
        self.advisor = advisor
        self.uses = uses
        self.cacheBytes = cacheBytes
        self.onWay = onWay
        self.onOpening = onOpening
    }

    /// Answers the query in a transaction of its own, or `unavailable` after the deadline or once
    /// nobody wants it: then it is not begun, and ends if it runs.
    func answer(
        _ query: Query,
        in envelope: ListEnvelope,
        as principal: Principal,
        before deadline: ContinuousClock.Instant,
        unless isUnwanted: @escaping @Sendable () -> Bool
    ) -> Result<ObjectList, DomainError> {
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
            do {
                let session = try self.session ?? open()
                let start = ContinuousClock.now
                defer {
                    let cost = ListCost(
                        examinedRows: session.examinedRows,
                        duration: ContinuousClock.now - start
                    )
                    advisor.note(query, cost, record.indexes)
                }
                return .success(
                    try session.list(
                        ListRequest(
                            query,
                            record: record,
                            policy: policy,
                            limits: limits
                        ),
                        in: envelope,
                        isOver: { isUnwanted() || ContinuousClock.now >= deadline }
                    )
                )
            } catch let error as DomainError {
                return .failure(error)
            } catch {
                if (error as? SQLiteFailure)?.isInterrupt != true { session = nil }
                return .failure(DomainError(.unavailable, cause: "\(error)"))
            }
        }
    }

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
            uses: uses,
            onWay: onWay
        )
        session = opened
        onOpening()
        return opened
    }
}
