import HatoWire
import ObjectModel

/// Lists with the matcher and the sort key, as live queries use them.
enum MemoryEvaluator {
    static func answer(_ question: Question, _ objects: [Subject]) -> Answer {
        answer(question, objects.map { ($0, $0.stored) })
    }

    /// Takes objects whose stored form was made before.
    static func answer(_ question: Question, _ objects: [(Subject, StoredObject)]) -> Answer {
        let query = question.query
        let policy = AccessPolicy(principal: question.principal, settings: ClassSettings())
        let sortKey = SortKey(query.order)
        var matcher = Matcher(query.filter)
        var found: [(key: [UInt8], subject: Subject)] = []
        for (subject, object) in objects
        where policy.mayRead(object.acl) && matcher.matches(object) {
            var key: [UInt8] = []
            let facts = ObjectFacts(
                id: object.id,
                created: object.created,
                updated: object.updated
            )
            sortKey.append(object.document.span, facts, to: &key)
            found.append((key, subject))
        }
        let newestFirst = query.order.last?.isDescending ?? true
        found.sort { left, right in
            if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
            let (first, second) =
                newestFirst ? (right.subject, left.subject) : (left.subject, right.subject)
            return (first.created, first.row) < (second.created, second.row)
        }
        let page = found.dropFirst(query.skip).prefix(query.limit)
        return Answer(
            numbers: page.map(\.subject.number),
            count: query.wantsCount ? found.count : nil
        )
    }
}
