import HatoTesting
import HatoWire
import ObjectModel

/// Random questions about documents of `DocumentGenerator`.
struct QuestionGenerator {
    private var random: SeededGenerator
    private let className: ClassName
    private let patterns: [Pattern]
    /// Ids and dates that objects have, or had.
    private let ids: [Value]
    private let moments: [Value]

    init(seed: UInt64, _ className: ClassName, _ objects: [Subject]) throws {
        random = SeededGenerator(seed: seed)
        self.className = className
        patterns = try ValuePools.patterns.map { try Pattern($0) }
        ids = objects.map { .string($0.id) } + [.string("nobody")]
        let moments = Set(objects.flatMap { [$0.created, $0.updated] }).sorted()
        self.moments = moments.flatMap { [.date($0), .string($0.text)] } + ValuePools.dates
    }

    /// A stranger, three users of whom one has a role, the administrator.
    static let principals: [Principal] = [
        .stranger, Principal(userID: "u1"), Principal(userID: "u2"),
        Principal(userID: "u3", roles: ["staff"]), .administrator,
    ]

    mutating func question() -> Question {
        let kind = random.below(100)
        let isWindow = (10..<22).contains(kind)
        let filter =
            switch kind {
            case 0..<10: nearest()
            case 10..<22: window()
            case 22..<25: someIDs()
            default: filter(depth: 0)
            }
        return Question(
            query: Query(
                className: className,
                filter: filter,
                order: order(of: filter, ownPercent: isWindow ? 85 : 15),
                limit: random.pick([1_000, 1_000, 100, 20, 5, 1, 0]),
                skip: random.pick([0, 0, 0, 1, 7, 60]),
                wantsCount: random.chance(40)
            ),
            principal: random.pick(QuestionGenerator.principals)
        )
    }

    /// Half of the time the order that a search by place has when nobody asks for another, where rounding
    /// can't decide it; so often the order of a field that the filter is about.
    private mutating func order(of filter: Filter, ownPercent: Int) -> [OrderTerm] {
        if let nearest = filter.nearestFirst, Field.spot.paths.contains(nearest.path),
            random.chance(50)
        {
            return [nearest]
        }
        if let path = filter.paths.first, random.chance(ownPercent),
            path.components[0] != Field.long.rawValue
        {
            return [OrderTerm(path: path, isDescending: random.chance(50))]
        }
        return (0..<random.pick([0, 1, 1, 2, 2, 3])).map { _ in orderTerm() }
    }

    /// A search for what is nearest, everywhere or around, on its own or beside another condition.
    private mutating func nearest() -> Filter {
        let places = Field.spot.pool.compactMap { Sphere.place($0) }
        let radius = random.chance(60) ? nil : random.pick(ValuePools.radii)
        guard let circle = GeoCircle(center: random.pick(places), radiusRadians: radius) else {
            return condition()
        }
        let near = Filter.field(Field.spot.paths[0], .near(circle))
        return random.chance(80) ? near : .all([near, condition()])
    }

    /// Bounds of one field, often of one that holds no arrays.
    private mutating func window() -> Filter {
        let isDate = random.chance(80)
        let path = isDate ? FieldPath.system[2] : Field.number.paths[0]
        let values = isDate ? moments.filter { $0.isDate } : Field.number.pool
        let bounds = random.several(values, 2...2).sorted { ReferenceOrder.order($0, $1) < 0 }
        let lower =
            random.chance(50) ? FieldOperator.greater(bounds[0]) : .greaterOrEqual(bounds[0])
        let upper = random.chance(50) ? FieldOperator.less(bounds[1]) : .lessOrEqual(bounds[1])
        let kept = random.pick([[lower], [upper], [lower, upper]])
        return .all(kept.map { .field(path, $0) } + (random.chance(50) ? [condition()] : []))
    }

    private mutating func someIDs() -> Filter {
        let found = Filter.field(FieldPath.system[0], .isIn(random.several(ids, 1...12)))
        return random.chance(50) ? found : .all([found, condition()])
    }

    private mutating func filter(depth: Int) -> Filter {
        switch random.below(depth > 2 ? 5 : 14) {
        case 0..<5: condition()
        case 5: .all((0..<random.below(3)).map { _ in filter(depth: depth + 1) })
        case 6: sameField()
        case 7: .all([condition(), condition()])
        case 8: .all([condition(), .any([condition(), condition(), condition()])])
        default: .any((0..<random.pick([0, 1, 2, 3, 4])).map { _ in filter(depth: depth + 1) })
        }
    }

    /// Several operators on one field, as `{"n":{"$gt":1,"$lt":9}}` has them.
    private mutating func sameField() -> Filter {
        let field = random.pick(Field.allCases)
        let path = random.pick(field.paths)
        return .all(
            (0..<Int.random(in: 2...3, using: &random)).map { _ in
                .field(path, fieldOperator(field))
            }
        )
    }

    private mutating func condition() -> Filter {
        if random.chance(12) { return systemCondition() }
        let field = random.pick(Field.allCases)
        return .field(random.pick(field.paths), fieldOperator(field))
    }

    private mutating func systemCondition() -> Filter {
        let path = random.pick(FieldPath.system)
        let literals = path == FieldPath.system[0] ? ids : moments
        if random.chance(5) { return .field(path, .exists(random.chance(50))) }
        return .field(path, comparison(literals, isOrdered: true))
    }

    private mutating func fieldOperator(_ field: Field) -> FieldOperator {
        let isPlace = field == .place || field == .spot
        switch random.below(10) {
        case 0: return .exists(random.chance(50))
        case 1, 2:
            let literals = random.several(field.literals + ValuePools.constants, 0...3)
            switch random.below(3) {
            case 0: return .containsAny(literals)
            case 1: return .containsNone(literals)
            default: return .containsAll(Array(literals.prefix(2)))
            }
        case 3 where !isPlace: return .matches(random.pick(patterns))
        case 3..<8 where isPlace: return area(field)
        default:
            let literals = random.chance(85) ? field.literals : Field.mixed.pool
            return comparison(literals + [.null], isOrdered: field.isOrdered)
        }
    }

    private mutating func comparison(_ literals: [Value], isOrdered: Bool) -> FieldOperator {
        switch random.below(8) {
        case 0: return .equal(random.pick(literals))
        case 1: return .notEqual(random.pick(literals))
        case 2: return .isIn(random.several(literals, 0...8))
        case 3: return .isNotIn(random.several(literals, 0...4))
        default:
            // Ranges are defined for numbers, strings and dates only.
            let operands = literals.filter { [1, 2, 6].contains(ReferenceOrder.rank($0)) }
            guard isOrdered, !operands.isEmpty else { return .equal(random.pick(literals)) }
            let operand = random.pick(operands)
            switch random.below(4) {
            case 0: return .less(operand)
            case 1: return .lessOrEqual(operand)
            case 2: return .greater(operand)
            default: return .greaterOrEqual(operand)
            }
        }
    }

    private mutating func area(_ field: Field) -> FieldOperator {
        let places = field.pool.compactMap { Sphere.place($0) }
        if random.chance(50),
            let circle = GeoCircle(
                center: random.pick(places),
                radiusRadians: random.pick(ValuePools.radii)
            )
        {
            return .near(circle)
        }
        let corners = (random.pick(places), random.pick(places))
        let (south, north) =
            corners.0.latitude <= corners.1.latitude ? corners : (corners.1, corners.0)
        return GeoBox(southWest: south, northEast: north).map { .within($0) } ?? .exists(true)
    }

    private mutating func orderTerm() -> OrderTerm {
        let isDescending = random.chance(50)
        if random.chance(10) {
            let origin = Sphere.place(random.pick(Field.spot.pool))
            return OrderTerm(
                path: random.pick(Field.spot.paths),
                isDescending: isDescending,
                origin: origin
            )
        }
        let ordered = Field.allCases.filter(\.isOrdered)
        let path =
            random.chance(20)
            ? random.pick(FieldPath.system) : random.pick(random.pick(ordered).paths)
        return OrderTerm(path: path, isDescending: isDescending)
    }
}

extension Filter {
    /// The fields that it is about.
    fileprivate var paths: [FieldPath] {
        switch self {
        case .all(let parts), .any(let parts): parts.flatMap(\.paths)
        case .field(let path, _): [path]
        }
    }
}

extension Value {
    fileprivate var isDate: Bool {
        if case .date = self { true } else { false }
    }
}
