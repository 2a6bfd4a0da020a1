package import HatoWire
package import ObjectModel

/// An index over one field of a class, as the table `field_index` has it.
package struct FieldIndex: Sendable, Hashable {
    /// Which of an object's keys a row of `field_key` is.
    package enum Kind: Int64, Sendable {
        case whole = 0
        case element = 1
        /// A place on the globe, by cell.
        case place = 2
    }

    /// `built` of an index that has all objects of its class, those to come too.
    package static let everything = Int64.max

    package let number: Int64
    package let path: FieldPath
    /// Whether the operator asked for it; others the server makes itself.
    package var isDeclared: Bool
    /// Objects up to this row are in it.
    package var built: Int64
    /// Since when its use is watched; nil: not yet.
    package var made: Timestamp?
    /// About when a list used it last; nil: never since `made`.
    package var lastUsed: Timestamp?

    package init(
        number: Int64,
        path: FieldPath,
        isDeclared: Bool,
        built: Int64,
        made: Timestamp? = nil,
        lastUsed: Timestamp? = nil
    ) {
        self.number = number
        self.path = path
        self.isDeclared = isDeclared
        self.built = built
        self.made = made
        self.lastUsed = lastUsed
    }

    /// Whether it can answer a query.
    package var isReady: Bool { built == FieldIndex.everything }
}

/// A way to a filter's objects by the keys of an index.
package struct KeyWalk: Sendable, Hashable {
    package let index: FieldIndex
    package let keys: KeyCondition.Keys
    /// Whether some object has further keys, which must be walked too.
    package let hasElements: Bool
    /// Whether every object on the way matches the filter: nobody has to look at it.
    package let isExact: Bool

    package init(_ index: FieldIndex, _ condition: KeyCondition, hasElements: Bool) {
        self.index = index
        if hasElements, condition.path.components.count > 1,
            case .ranges(_, let element) = condition.keys
        {
            // A path through arrays has one of several values as its whole key: another one may
            // meet the other bound.
            self.keys = .ranges(whole: element, element: element)
        } else {
            self.keys = condition.keys
        }
        self.hasElements = hasElements
        switch condition.exactness {
        case .always: isExact = true
        case .withoutElements: isExact = !hasElements
        case .never: isExact = false
        }
    }

    /// Whether the rows come in the order of creation, one after the other.
    package var followsRows: Bool {
        guard case .points(let points) = keys else { return false }
        return points.count == 1
    }
}

/// A walk over all objects in the order of an indexed field.
package struct OrderedWalk: Sendable, Hashable {
    package let index: FieldIndex
    package let isDescending: Bool
    /// Whether objects with equal keys come newest first.
    package let tieIsDescending: Bool
    /// The part of the order that the filter leaves, when the index says so for all objects.
    package let range: KeyRange?
    /// Whether every object in the range matches the filter.
    package let isExact: Bool

    package init(
        _ index: FieldIndex,
        isDescending: Bool,
        tieIsDescending: Bool,
        range: KeyRange?,
        isExact: Bool
    ) {
        self.index = index
        self.isDescending = isDescending
        self.tieIsDescending = tieIsDescending
        self.range = range
        self.isExact = isExact
    }
}
