package import HatoWire

extension Query {
    /// What the query asks for, without the values it compares with: `room = ?, n > ? order -n`.
    ///
    /// For the operator's eyes; values are users' data and stay out of it.
    package var shape: Text {
        let order = order.map { term in
            (term.isDescending ? "-" : "") + term.path.text.string
                + (term.origin == nil ? "" : " from ?")
        }
        let filter = filter.shape
        guard !order.isEmpty, order != ["-createDate"] else { return Text(filter) }
        let terms = "order " + order.joined(separator: ",")
        return Text(filter.isEmpty ? terms : filter + " " + terms)
    }

    /// Takes the class and the shape into a hash; costs less than the shape's text.
    package func hashShape(into hasher: inout Hasher) {
        className.hash(into: &hasher)
        filter.hashShape(into: &hasher)
        for term in order {
            term.path.hash(into: &hasher)
            term.isDescending.hash(into: &hasher)
        }
    }
}

extension Filter {
    fileprivate func hashShape(into hasher: inout Hasher) {
        switch self {
        case .all(let parts), .any(let parts):
            parts.count.hash(into: &hasher)
            for part in parts { part.hashShape(into: &hasher) }
        case .field(let path, let fieldOperator):
            path.hash(into: &hasher)
            fieldOperator.shape.hash(into: &hasher)
        }
    }

    fileprivate var shape: String {
        switch self {
        case .all(let parts):
            parts.map(\.shape).filter { !$0.isEmpty }.joined(separator: ", ")
        case .any(let parts):
            "$or (" + parts.map(\.shape).joined(separator: " | ") + ")"
        case .field(let path, let fieldOperator):
            path.text.string + " " + fieldOperator.shape
        }
    }
}

extension FieldOperator {
    fileprivate var shape: String {
        switch self {
        case .equal: "= ?"
        case .notEqual: "$ne ?"
        case .less: "< ?"
        case .lessOrEqual: "<= ?"
        case .greater: "> ?"
        case .greaterOrEqual: ">= ?"
        case .isIn: "$in [?]"
        case .isNotIn: "$nin [?]"
        case .exists: "$exists ?"
        case .matches: "$regex ?"
        case .containsAny: "$inArray [?]"
        case .containsNone: "$ninArray [?]"
        case .containsAll: "$all [?]"
        case .near(let circle): circle.radiusRadians == nil ? "$nearSphere" : "$nearSphere ?"
        case .within: "$within ?"
        }
    }
}
