import EventLoops
import HatoWire
import ObjectModel
import SQLStorage
import Synchronization

/// What answering a list has cost.
struct ListCost: Sendable {
    /// Documents that were looked at, to match or to sort.
    var examinedRows: Int
    var duration: Duration
}

/// Notes which lists are slow and which index would have helped, and says when one is worth making.
///
/// An index is advised when so many lists within a while have looked at so many documents for want
/// of it (`StoreLimits.slowLists`, `slowRows`). Conditions come before orders, single values before
/// ranges: those leave the fewest objects to look at.
final class IndexAdvisor: Sendable {
    struct Subject: Hashable {
        let className: ClassName
        let path: FieldPath
    }

    private struct Want {
        var lists = 0
        var last: ContinuousClock.Instant
        var isAdvised = false
    }

    private struct State {
        var wants: [Subject: Want] = [:]
        var advice: [Subject] = []
        var slow = SlowFilters()
    }

    /// Fields that are watched at once; the one that was wanted longest ago goes.
    private static let wantLimit = 256
    /// Lists further apart than this do not add up.
    private static let memory = Duration.seconds(600)
    /// Advice is given once in this time: an index that some object does not fit in is given up, and
    /// would be made and given up for ever.
    private static let patience = Duration.seconds(86_400)

    private let limits: StoreLimits
    private let state = Guarded(State())
    private let hasAdvice = Atomic(false)
    private let isOn = Atomic(true)

    init(_ limits: StoreLimits) {
        self.limits = limits
    }

    /// Whether indexes are advised at all; slow filters are noted in any case.
    func setOn(_ isOn: Bool) {
        self.isOn.store(isOn, ordering: .relaxed)
    }

    /// Notes what a list has cost with the indexes that its class has.
    func note(_ query: Query, _ cost: ListCost, _ indexes: [FieldIndex]) {
        guard cost.examinedRows >= limits.slowRows else { return }
        let subject = IndexAdvisor.wanted(by: query, besides: indexes).map {
            Subject(className: query.className, path: $0)
        }
        let now = ContinuousClock.now
        state.withLock { state in
            state.slow.note(query, cost)
            guard let subject, isOn.load(ordering: .relaxed) else { return }
            if state.wants[subject] == nil { IndexAdvisor.makeRoom(in: &state.wants) }
            var want = state.wants[subject] ?? Want(last: now)
            let span = want.isAdvised ? IndexAdvisor.patience : IndexAdvisor.memory
            if now - want.last > span { want = Want(last: now) }
            want.lists += 1
            if !want.isAdvised { want.last = now }
            if want.lists >= limits.slowLists, !want.isAdvised {
                want.isAdvised = true
                state.advice.append(subject)
                hasAdvice.store(true, ordering: .releasing)
            }
            state.wants[subject] = want
        }
    }

    /// Returns the indexes to be made, each once.
    func takeAdvice() -> [(ClassName, FieldPath)] {
        guard hasAdvice.load(ordering: .acquiring) else { return [] }
        return state.withLock { state in
            hasAdvice.store(false, ordering: .relaxed)
            defer { state.advice = [] }
            return state.advice.map { ($0.className, $0.path) }
        }
    }

    /// Takes advice back that nobody could follow just now: the next slow lists give it again.
    func withdraw(_ className: ClassName, _ path: FieldPath) {
        state.withLock { $0.wants[Subject(className: className, path: path)] = nil }
    }

    /// The slow filters of a class since the store was opened, the most expensive first.
    func slowFilters(of className: ClassName) -> [SlowFilter] {
        state.withLock { $0.slow.filters(of: className) }
    }

    /// The field whose index would help most, if there is one that it has not.
    private static func wanted(by query: Query, besides indexes: [FieldIndex]) -> FieldPath? {
        let conditions = query.filter.keyConditions.filter { $0.path.isIndexable }
        let isPoint = { (condition: KeyCondition) in
            if case .points = condition.keys { true } else { false }
        }
        // Whoever has an index for a condition has been given what an index can give.
        let best = conditions.first(where: isPoint) ?? conditions.first
        let order = query.order.first.flatMap {
            query.order.count <= 2 && $0.origin == nil ? $0.path : nil
        }
        let place = query.filter.placeConditions.first?.0
        guard let path = best?.path ?? place ?? order, path.isIndexable,
            !indexes.contains(where: { $0.path == path })
        else { return nil }
        return path
    }

    private static func makeRoom(in wants: inout [Subject: Want]) {
        guard wants.count >= wantLimit,
            let oldest = wants.min(by: { $0.value.last < $1.value.last })?.key
        else { return }
        wants[oldest] = nil
    }
}
