import HatoWire
import ObjectModel

extension Reference {
    /// Answers a question about all objects of a class.
    static func answer(_ question: Question, _ objects: [Subject]) -> Answer {
        page(question, of: found(question, matching(question.query.filter, objects)))
    }

    /// Returns the part of what was found that is asked for.
    static func page(_ question: Question, of found: [Subject]) -> Answer {
        let page = found.dropFirst(question.query.skip).prefix(question.query.limit)
        return Answer(
            numbers: page.map(\.number),
            count: question.query.wantsCount ? found.count : nil
        )
    }

    /// Returns those that the filter matches, whoever may read them.
    static func matching(_ filter: Filter, _ objects: [Subject]) -> [Subject] {
        objects.filter { matches(filter, $0) }
    }

    /// Returns those of the matching objects that may be read, in order.
    static func found(_ question: Question, _ matching: [Subject]) -> [Subject] {
        let query = question.query
        let readable =
            matching
            .filter { mayRead(question.principal, $0) }
            .map { object in
                (object: object, places: query.order.map { place(of: object, by: $0) })
            }
        let sorted = readable.sorted { left, right in
            for (index, term) in query.order.enumerated() {
                let order = left.places[index].order(right.places[index])
                if order != 0 { return term.isDescending ? order > 0 : order < 0 }
            }
            return isBefore(left.object, right.object, query.order)
        }
        return sorted.map(\.object)
    }

    /// Access lists name everybody (`*`), a user, or a role (`role:NAME`).
    static func mayRead(_ principal: Principal, _ object: Subject) -> Bool {
        principal.isAdministrator
            || object.acl.contains { entry in
                entry.mayRead
                    && (entry.key == "*" || entry.key == principal.userID
                        || principal.roles.contains { entry.key.string == "role:" + $0.string })
            }
    }

    /// Where an object stands by one term of the order.
    enum Place {
        case value(Value)
        case distance(Double)

        func order(_ other: Place) -> Int {
            switch (self, other) {
            case (.value(let left), .value(let right)): ReferenceOrder.order(left, right)
            case (.distance(let left), .distance(let right)): ReferenceOrder.order(left, right)
            case (.value, .distance): -1
            case (.distance, .value): 1
            }
        }
    }

    /// Missing sorts as null, and behind every distance.
    private static func place(of object: Subject, by term: OrderTerm) -> Place {
        let found = values(at: term.path, in: object)
        guard let origin = term.origin else { return .value(found.first ?? .null) }
        let angles = withElements(found).compactMap { Sphere.place($0) }
            .map { Sphere.angle($0, origin) }
        return .distance(angles.min() ?? .infinity)
    }

    /// Ties are in the order of writing, in the last term's direction; without an order the newest
    /// is first.
    private static func isBefore(_ left: Subject, _ right: Subject, _ order: [OrderTerm]) -> Bool {
        let isDescending = order.last?.isDescending ?? true
        let (first, second) = isDescending ? (right, left) : (left, right)
        return (first.created, first.row) < (second.created, second.row)
    }
}
