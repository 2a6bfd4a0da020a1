import HatoWire
import ObjectModel
import Testing

@Suite("Matcher")
struct MatcherTests {
    private static let document =
        #"{"n":5,"f":5.0,"s":"a\/b","z":null,"t":true,"a":[1,"x",[2],null],"e":[],"#
        + #""o":{"b":1,"a":"y","d":{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}},"#
        + #""l":[{"k":1},{"k":[2,3]},4,[{"k":9}]],"big":9223372036854775807,"#
        + #""d":{"__type":"Date","iso":"2020-09-13T12:26:40.123Z"},"#
        + #""p":{"__type":"Pointer","className":"Post","objectId":"abc"},"#
        + #""g":{"__type":"GeoPoint","latitude":1.0,"longitude":2}}"#

    @Test(
        "equality",
        arguments: [
            ("n", "5", true), ("n", "5.0", true), ("n", "50e-1", true), ("n", "6", false),
            ("n", #""5""#, false),
            ("f", "5", true), ("s", #""a/b""#, true), ("s", #""a""#, false),
            ("s", #""a/bc""#, false),
            ("z", "null", true), ("missing", "null", true), ("n", "null", false),
            ("a", "null", true),
            ("e", "null", false), ("t", "true", true), ("t", "false", false), ("t", "1", false),
            ("a", "1.0", true), ("a", #""x""#, true), ("a", "[2.0]", true), ("a", "2", false),
            ("a", #"[1,"x",[2],null]"#, true), ("a", #"["x",1,[2],null]"#, false),
            ("e", "[]", true),
            ("o", #"{"a":"y","d":{"__type":"Date","iso":"2020-01-01T00:00:00Z"},"b":1.0}"#, true),
            ("o", #"{"a":"y"}"#, false), ("o.b", "1", true), ("o.a", #""y""#, true),
            ("o.x", "null", true),
            ("o.d.iso", "null", true), ("o.b.c", "null", true), ("l.k", "1", true),
            ("l.k", "3", true),
            ("l.k", "[2,3]", true), ("l.k", "9", false), ("l.k", "null", false),
            ("l.x", "null", true),
            ("big", "9223372036854775807", true), ("big", "9223372036854775808", false),
            ("big", "9223372036854775807.0", false),
            ("d", #"{"__type":"Date","iso":"2020-09-13T12:26:40.123Z"}"#, true),
            ("d", #""2020-09-13T12:26:40.123Z""#, false),
            ("p", #"{"__type":"Pointer","objectId":"abc","className":"Post"}"#, true),
            ("p", #"{"__type":"Pointer","objectId":"ab","className":"Post"}"#, false),
            ("p.objectId", #""abc""#, true),
            ("g", #"{"__type":"GeoPoint","latitude":1,"longitude":2.0}"#, true),
            ("g", #"{"__type":"GeoPoint","latitude":1,"longitude":3}"#, false),
            ("objectId", #""ID1""#, true), ("objectId", #""ID""#, false),
            ("objectId.x", "null", true),
            ("createDate", #""2020-01-01T00:00:00.000Z""#, true),
            ("createDate", #"{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}"#, true),
            ("updateDate", #""2020-01-01T00:00:00.000Z""#, false), ("createDate", "null", false),
            ("createDate.iso", "null", true),
        ]
    )
    func equality(path: String, literal: String, isEqual: Bool) throws {
        let literal = try value(literal)
        #expect(try matches(path, .equal(literal)) == isEqual)
        #expect(try matches(path, .notEqual(literal)) == !isEqual)
        #expect(try matches(path, .isIn([literal])) == isEqual)
        #expect(try matches(path, .isNotIn([literal])) == !isEqual)
        #expect(
            try matches(path, .isIn([.string("no"), literal, .number(JSONNumber(77))])) == isEqual
        )
    }

    @Test(
        "ranges stay inside one type, and any element of an array will do",
        arguments: [
            ("n", "4", [false, false, true, true]), ("n", "5.0", [false, true, false, true]),
            ("n", "5.5", [true, true, false, false]), ("n", #""5""#, [false, false, false, false]),
            ("s", #""a""#, [false, false, true, true]),
            ("s", #""a/b""#, [false, true, false, true]),
            ("s", #""a/c""#, [true, true, false, false]),
            ("s", #""a/b!""#, [true, true, false, false]),
            ("s", "1", [false, false, false, false]),
            ("missing", "1", [false, false, false, false]),
            ("z", "0", [false, false, false, false]), ("a", "1", [false, true, false, true]),
            ("a", #""a""#, [false, false, true, true]), ("l.k", "2", [true, true, true, true]),
            ("big", "9223372036854775808", [true, true, false, false]),
            ("big", "9223372036854775806", [false, false, true, true]),
            (
                "d", #"{"__type":"Date","iso":"2020-09-13T12:26:40.123Z"}"#,
                [false, true, false, true]
            ),
            (
                "d", #"{"__type":"Date","iso":"2021-01-01T00:00:00.000Z"}"#,
                [true, true, false, false]
            ),
            ("createDate", #""2019-01-01T00:00:00Z""#, [false, false, true, true]),
            (
                "updateDate", #"{"__type":"Date","iso":"2020-01-01T00:00:00Z"}"#,
                [false, false, true, true]
            ),
            ("objectId", #""ID1""#, [false, true, false, true]),
            ("t", "0", [false, false, false, false]),
        ] as [(String, String, [Bool])]
    )
    func ranges(path: String, literal: String, expected: [Bool]) throws {
        let literal = try value(literal)
        let found = [
            try matches(path, .less(literal)), try matches(path, .lessOrEqual(literal)),
            try matches(path, .greater(literal)), try matches(path, .greaterOrEqual(literal)),
        ]
        #expect(found == expected)
    }

    @Test(
        "a field exists when it has a value, be it null",
        arguments: [
            ("n", true), ("z", true), ("e", true), ("missing", false), ("o.b", true),
            ("o.x", false),
            ("n.x", false), ("l.k", true), ("l.x", false), ("e.x", false), ("objectId", true),
            ("createDate", true), ("a.x", false),
        ]
    )
    func existence(path: String, exists: Bool) throws {
        #expect(try matches(path, .exists(true)) == exists)
        #expect(try matches(path, .exists(false)) == !exists)
    }

    @Test("all parts must hold, none holds always, an empty $in never")
    func combines() throws {
        let five = FieldOperator.equal(try value("5"))
        let both = Filter.all([
            .field(try FieldPath("n"), five), .all([.field(try FieldPath("f"), five), .all([])]),
        ])
        #expect(run(both, Self.document))
        #expect(!run(.all([both, .field(try FieldPath("s"), five)]), Self.document))
        #expect(run(.all([]), "{}"))
        #expect(try !matches("n", .isIn([])))
    }

    @Test("one matcher serves many documents")
    func isReusable() throws {
        var matcher = Matcher(.field(try FieldPath("n"), .equal(try value("1"))))
        let facts = ObjectFacts(
            id: "a",
            created: Timestamp(millisecondsSinceEpoch: 0),
            updated: Timestamp(millisecondsSinceEpoch: 0)
        )
        for (document, isMatch) in [
            (#"{"n":1}"#, true), ("{}", false), (#"{"m":1}"#, false), (#"{"m":1,"n":1.0}"#, true),
        ] {
            #expect(matcher.matches(Array(document.utf8).span, facts) == isMatch)
        }
    }

    @Test("agrees with a naive evaluation of random filters over random documents")
    func agreesWithNaive() throws {
        var values = RandomValues(random: SplitMix(seed: 21))
        let paths = try ["a", "b", "a.b", "é", "x/y", "a.a.b", "e\u{301}.a"].map {
            try FieldPath(Text($0))
        }
        var matchCount = 0
        for _ in 0..<20_000 {
            let members = values.members(depth: 0)
            let document = text(Value.object(members).canonicalBytes)
            let path = paths[values.random.below(paths.count)]
            let fieldOperator = randomOperator(&values, members)
            let expected = NaiveMatch.holds(fieldOperator, path, .object(members))
            if expected { matchCount += 1 }
            let found = run(.field(path, fieldOperator), document)
            #expect(found == expected, "\(path.text) \(fieldOperator) \(document)")
        }
        #expect(matchCount > 4_000)
    }

    @Test("damaged documents do not trap")
    func bearsDamage() throws {
        let whole = Array(Self.document.utf8)
        for path in ["n", "a", "o.d", "l.k", "g", "d"] {
            for literal in [
                "5", #""x""#, "[1]", #"{"__type":"Date","iso":"2020-01-01T00:00:00Z"}"#,
            ] {
                for count in 0..<whole.count {
                    let damaged = String(decoding: whole[..<count], as: UTF8.self)
                    _ = run(.field(try FieldPath(Text(path)), .equal(try value(literal))), damaged)
                    _ = run(.field(try FieldPath(Text(path)), .less(try value(literal))), damaged)
                }
            }
        }
    }

    private func randomOperator(
        _ values: inout RandomValues,
        _ members: [ValueMember]
    ) -> FieldOperator {
        let literal = randomLiteral(&values, members)
        switch values.random.below(13) {
        case 0: return .equal(literal)
        case 1: return .notEqual(literal)
        case 2: return .less(literal)
        case 3: return .lessOrEqual(literal)
        case 4: return .greater(literal)
        case 5: return .greaterOrEqual(literal)
        case 6: return .isIn(randomLiterals(&values, members))
        case 7: return .isNotIn(randomLiterals(&values, members))
        case 8: return .containsAny(randomLiterals(&values, members))
        case 9: return .containsNone(randomLiterals(&values, members))
        case 10: return .containsAll(Array(randomLiterals(&values, members).prefix(2)))
        case 11:
            let place = GeoPosition(latitude: 1, longitude: Double(values.random.below(3)))
            let radius = Double(values.random.below(3)) * Double.pi / 180
            return place.flatMap { GeoCircle(center: $0, radiusRadians: radius) }
                .map { .near($0) } ?? .exists(true)
        default: return .exists(values.random.below(2) == 0)
        }
    }

    private func randomLiterals(
        _ values: inout RandomValues,
        _ members: [ValueMember]
    ) -> [Value] {
        (0..<values.random.below(6)).map { _ in randomLiteral(&values, members) }
    }

    /// Half of the time a value that is in the document.
    private func randomLiteral(_ values: inout RandomValues, _ members: [ValueMember]) -> Value {
        var literal = values.value()
        guard !members.isEmpty, values.random.below(2) == 0 else { return literal }
        literal = members[values.random.below(members.count)].value
        while values.random.below(2) == 0 {
            switch literal {
            case .array(let elements) where !elements.isEmpty:
                literal = elements[values.random.below(elements.count)]
            case .object(let inner) where !inner.isEmpty:
                literal = inner[values.random.below(inner.count)].value
            default: return literal
            }
        }
        return literal
    }

    @Test("a condition after the other on a large document ends when the time is over")
    func ends() throws {
        let path = try FieldPath("s")
        let array = "[" + (0..<2_000).map { _ in #"{"a":1}"# }.joined(separator: ",") + "]"
        let document = Array((#"{"s":"# + array + "}").utf8)
        let parts = (0..<200).map { n in
            Filter.field(path, .equal(.number(JSONNumber(Int64(n)))))
        }
        var matcher = Matcher(.any(parts))
        matcher.stop(when: { true })
        let moment = Timestamp(millisecondsSinceEpoch: 0)
        let facts = ObjectFacts(id: "", created: moment, updated: moment)
        let isMatch = matcher.matches(document.span, facts)
        #expect(!isMatch)
        #expect(matcher.failure?.code == .unavailable)
    }

    private func matches(_ path: String, _ fieldOperator: FieldOperator) throws -> Bool {
        run(.field(try FieldPath(Text(path)), fieldOperator), Self.document)
    }

    private func run(_ filter: Filter, _ document: String) -> Bool {
        var matcher = Matcher(filter)
        let facts = ObjectFacts(
            id: "ID1",
            created: Timestamp(millisecondsSinceEpoch: 1_577_836_800_000),
            updated: Timestamp(millisecondsSinceEpoch: 1_577_836_800_001)
        )
        return matcher.matches(Array(document.utf8).span, facts)
    }
}

/// The operators over value trees, written from the rulings alone.
enum NaiveMatch {
    static func holds(_ fieldOperator: FieldOperator, _ path: FieldPath, _ document: Value) -> Bool
    {
        let found = values(document, path.components[...])
        switch fieldOperator {
        case .equal(let literal): return equals(found, literal)
        case .notEqual(let literal): return !equals(found, literal)
        case .less(let literal): return range(found, literal) { $0 < 0 }
        case .lessOrEqual(let literal): return range(found, literal) { $0 <= 0 }
        case .greater(let literal): return range(found, literal) { $0 > 0 }
        case .greaterOrEqual(let literal): return range(found, literal) { $0 >= 0 }
        case .isIn(let literals): return literals.contains { equals(found, $0) }
        case .isNotIn(let literals): return !literals.contains { equals(found, $0) }
        case .exists(let isWanted): return !found.isEmpty == isWanted
        case .containsAny(let literals): return literals.contains { contains(found, $0) }
        case .containsNone(let literals): return !literals.contains { contains(found, $0) }
        case .containsAll(let literals):
            return !literals.isEmpty && literals.allSatisfy { contains(found, $0) }
        case .near(let circle): return places(found).contains(where: circle.contains)
        case .within(let box): return places(found).contains(where: box.contains)
        // What a pattern is, PCRE2 alone can say.
        case .matches: return false
        }
    }

    private static func contains(_ found: [Value], _ literal: Value) -> Bool {
        found.contains { value in
            guard case .array(let elements) = value else { return false }
            return elements.contains { NaiveOrder.order($0, literal) == 0 }
        }
    }

    private static func places(_ found: [Value]) -> [GeoPosition] {
        withElements(found).compactMap { GeoPosition($0) }
    }

    private static func equals(_ found: [Value], _ literal: Value) -> Bool {
        if literal == .null && found.isEmpty { return true }
        return withElements(found).contains { NaiveOrder.order($0, literal) == 0 }
    }

    private static func range(_ found: [Value], _ literal: Value, _ isMet: (Int) -> Bool) -> Bool {
        guard [1, 2, 6].contains(NaiveOrder.rank(literal)) else { return false }
        return withElements(found).contains {
            NaiveOrder.rank($0) == NaiveOrder.rank(literal) && isMet(NaiveOrder.order($0, literal))
        }
    }

    private static func withElements(_ found: [Value]) -> [Value] {
        found.flatMap { value -> [Value] in
            if case .array(let elements) = value { return [value] + elements }
            return [value]
        }
    }

    private static func values(_ value: Value, _ path: ArraySlice<Text>) -> [Value] {
        guard let name = path.first else { return [value] }
        switch value {
        case .array(let elements):
            return elements.flatMap { element -> [Value] in
                if case .array = element { return [] }
                return values(element, path)
            }
        case .date, .null, .bool, .number, .string: return []
        case .geoPoint, .pointer, .relation, .object:
            return NaiveOrder.members(value).filter { $0.name == name }.flatMap {
                values($0.value, path.dropFirst())
            }
        }
    }
}
