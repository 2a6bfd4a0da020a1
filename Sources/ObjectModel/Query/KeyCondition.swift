package import HatoWire

/// A range of ordered keys.
package struct KeyRange: Sendable, Hashable {
    package var lower: [UInt8]
    package var includesLower: Bool
    package var upper: [UInt8]
    package var includesUpper: Bool

    /// What lies in both.
    package func intersection(_ other: KeyRange) -> KeyRange {
        var result = self
        if lower == other.lower {
            result.includesLower = includesLower && other.includesLower
        } else if lower.lexicographicallyPrecedes(other.lower) {
            result.lower = other.lower
            result.includesLower = other.includesLower
        }
        if upper == other.upper {
            result.includesUpper = includesUpper && other.includesUpper
        } else if other.upper.lexicographicallyPrecedes(upper) {
            result.upper = other.upper
            result.includesUpper = other.includesUpper
        }
        return result
    }
}

/// Which keys of a field's index the objects have that meet conditions on that field.
///
/// No object that meets them is without such a key; `exactness` says whether the reverse holds too.
package struct KeyCondition: Sendable, Hashable {
    package enum Keys: Sendable, Hashable {
        /// One of these keys, whole or of an element; ascending.
        case points([[UInt8]])
        /// A whole key in one range, or an element's in the other: several bounds narrow the whole
        /// value together, but each may be met by another element (rulings 10).
        case ranges(whole: KeyRange, element: KeyRange)
    }

    package enum Exactness: Sendable, Hashable {
        /// Every object with such a key meets the conditions.
        case always
        /// The same, as long as no object has further keys.
        case withoutElements
        /// The document has to be asked.
        case never
    }

    package var path: FieldPath
    package var keys: Keys
    package var exactness: Exactness

    /// More points than this are no way to look things up.
    static let pointLimit = 1_000

    /// Returns the condition's keys; nil when an index does not help.
    init?(_ path: FieldPath, _ fieldOperator: FieldOperator) {
        let system = path.components.count == 1 ? SystemField(path.components[0]) : nil
        let normalized = { (literal: Value) in system?.normalized(literal) ?? literal }
        let keys: Keys?
        let isDecisive: Bool
        switch fieldOperator {
        case .equal(let literal):
            let key = OrderedKey(normalized(literal))
            keys = .points([key.bytes])
            isDecisive = key.isDecisive
        case .isIn(let literals):
            let all = literals.map { OrderedKey(normalized($0)) }
            keys = KeyCondition.points(all).map { .points($0) }
            isDecisive = all.allSatisfy(\.isDecisive)
        case .less(let literal), .lessOrEqual(let literal), .greater(let literal),
            .greaterOrEqual(let literal):
            let key = OrderedKey(normalized(literal))
            keys = KeyCondition.range(fieldOperator, normalized(literal), key)
            isDecisive = key.isDecisive
        case .containsAny(let literals):
            keys = KeyCondition.points(literals.map { OrderedKey(normalized($0)) }).map {
                .points($0)
            }
            // A value that is no array has such keys too.
            isDecisive = false
        case .containsAll(let literals):
            keys = literals.first.map { .points([OrderedKey(normalized($0)).bytes]) }
            isDecisive = false
        case .notEqual, .isNotIn, .exists, .matches, .containsNone, .near, .within: return nil
        }
        guard let keys else { return nil }
        self.path = path
        self.keys = keys
        self.exactness = isDecisive ? .always : .never
    }

    /// The keys on one side of a literal, of its own type alone.
    private static func range(
        _ fieldOperator: FieldOperator,
        _ literal: Value,
        _ key: OrderedKey
    ) -> Keys? {
        guard RangeTest.isDefined(for: literal), let type = key.bytes.first else { return nil }
        var range = KeyRange(
            lower: [type],
            includesLower: true,
            upper: [type + 1],
            includesUpper: false
        )
        switch fieldOperator {
        case .less, .lessOrEqual:
            range.upper = key.bytes
            // What a cut key stands for may be less or greater.
            range.includesUpper = key.isCut || fieldOperator.includesItsBound
        case .greater, .greaterOrEqual:
            range.lower = key.bytes
            range.includesLower = key.isCut || fieldOperator.includesItsBound
        case .equal, .notEqual, .isIn, .isNotIn, .exists, .matches, .containsAny, .containsNone,
            .containsAll, .near, .within:
            return nil
        }
        return .ranges(whole: range, element: range)
    }

    private static func points(_ keys: [OrderedKey]) -> [[UInt8]]? {
        guard keys.count <= pointLimit else { return nil }
        return Set(keys.map(\.bytes)).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Narrows ranges over the same field.
    fileprivate mutating func narrow(by other: KeyCondition) -> Bool {
        guard case .ranges(let whole, let element) = keys,
            case .ranges(let otherWhole, _) = other.keys
        else { return false }
        keys = .ranges(whole: whole.intersection(otherWhole), element: element)
        let isDecisive = exactness != .never && other.exactness != .never
        exactness = isDecisive ? .withoutElements : .never
        return true
    }
}

/// A condition that an index answers by cells of the globe.
package enum PlaceCondition: Sendable {
    case near(GeoCircle)
    case within(GeoBox)
}

extension Filter {
    /// The ids of which the filter takes no other: what the unique index of ids answers.
    ///
    /// Nil when it does not ask for ids, or for too many. An id is a string: nothing else equals it.
    package var ids: [Text]? {
        switch self {
        case .all(let parts):
            return parts.lazy.compactMap(\.ids).first
        case .field(let path, .equal(let literal)) where path.components == ["objectId"]:
            return [literal].compactMap(\.text)
        case .field(let path, .isIn(let literals)) where path.components == ["objectId"]:
            return literals.count <= KeyCondition.pointLimit ? literals.compactMap(\.text) : nil
        case .field, .any:
            return nil
        }
    }

    /// The conditions on places among the parts that must all hold.
    package var placeConditions: [(FieldPath, PlaceCondition)] {
        switch self {
        case .all(let parts): parts.flatMap(\.placeConditions)
        case .field(let path, .near(let circle)): [(path, .near(circle))]
        case .field(let path, .within(let box)): [(path, .within(box))]
        case .field, .any: []
        }
    }

    /// Whether a regular expression is in it, whose search may be refused as too costly.
    package var hasPattern: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.hasPattern)
        case .field(_, .matches): true
        case .field: false
        }
    }

    /// What its first pattern was compiled with.
    var patternLimits: PatternLimits? {
        switch self {
        case .all(let parts), .any(let parts): parts.lazy.compactMap(\.patternLimits).first
        case .field(_, .matches(let pattern)): pattern.compiled.limits
        case .field: nil
        }
    }

    /// From when and until when the objects were created that the filter takes, both included.
    package var creationBounds: (from: Timestamp?, through: Timestamp?) {
        var bounds: (from: Timestamp?, through: Timestamp?) = (nil, nil)
        for condition in keyConditions where condition.path == .createDate {
            switch condition.keys {
            case .points(let points):
                bounds.from = points.first.flatMap { OrderedKey.date($0) }
                bounds.through = points.last.flatMap { OrderedKey.date($0) }
            case .ranges(let whole, _):
                bounds.from = OrderedKey.date(whole.lower) ?? bounds.from
                bounds.through = OrderedKey.date(whole.upper) ?? bounds.through
            }
        }
        return bounds
    }
}

extension Value {
    fileprivate var text: Text? {
        if case .string(let text) = self { text } else { nil }
    }
}

extension FieldOperator {
    fileprivate var includesItsBound: Bool {
        switch self {
        case .lessOrEqual, .greaterOrEqual: true
        case .less, .greater, .equal, .notEqual, .isIn, .isNotIn, .exists, .matches,
            .containsAny, .containsNone, .containsAll, .near, .within:
            false
        }
    }
}

extension OrderedKey {
    /// Whether no other value has this key, not even when it is cut.
    fileprivate var isDecisive: Bool { bytes.count < OrderedKey.limitBytes }
}

extension Filter {
    /// The conditions by which indexes find objects, those of all parts that must hold.
    ///
    /// A condition that is alone says all that the filter says; of several each is only a part.
    package var keyConditions: [KeyCondition] {
        var found: [KeyCondition] = []
        var isWhole = true
        collect(&found, &isWhole)
        if !isWhole || found.count > 1 {
            for index in found.indices { found[index].exactness = .never }
        }
        return found
    }

    private func collect(_ found: inout [KeyCondition], _ isWhole: inout Bool) {
        switch self {
        case .all(let parts):
            for part in parts { part.collect(&found, &isWhole) }
        case .any:
            isWhole = false
        case .field(let path, let fieldOperator):
            guard let condition = KeyCondition(path, fieldOperator) else {
                isWhole = false
                return
            }
            for index in found.indices where found[index].path == path {
                if found[index].narrow(by: condition) { return }
            }
            found.append(condition)
        }
    }
}
