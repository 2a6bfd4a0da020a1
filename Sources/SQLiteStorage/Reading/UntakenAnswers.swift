import Synchronization

/// Bytes of long answers that list threads have made and loops have not taken yet, of all applications.
///
/// Threads make answers faster than a loop that is busy sending takes them: without a bound, clients
/// that read nothing could fill the memory in between.
final class UntakenAnswers: Sendable {
    /// Shorter answers are no danger, and are never refused.
    static let shortBytes = 65_536

    private let limit: Int
    private let total = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    var bytes: Int { total.load(ordering: .relaxed) }

    /// Makes room for an answer; false when there is none.
    func add(_ count: Int) -> Bool {
        guard count > UntakenAnswers.shortBytes else { return true }
        let now = total.wrappingAdd(count, ordering: .relaxed).newValue
        // One alone may be as long as an answer may be.
        guard now > limit, now != count else { return true }
        total.wrappingSubtract(count, ordering: .relaxed)
        return false
    }

    /// Gives back the room of an answer that was added.
    func take(_ count: Int) {
        guard count > UntakenAnswers.shortBytes else { return }
        total.wrappingSubtract(count, ordering: .relaxed)
    }
}
