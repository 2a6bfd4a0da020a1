import HatoWire
import ObjectModel
import Testing

@Suite("Query")
struct QueryTests {
    @Test("holds each limit, and refuses one past it")
    func holdsLimits() throws {
        #expect(check(limit: 0) == nil && check(limit: 1_000) == nil)
        #expect(check(limit: 1_001) == DomainError(.invalidValue, "limit"))
        #expect(check(limit: -1) == DomainError(.invalidValue, "limit"))
        #expect(check(skip: -1) == DomainError(.invalidValue, "skip"))
        #expect(check(skip: Int.max) == nil)

        let path = try FieldPath("f")
        let term = OrderTerm(path: path, isDescending: false)
        #expect(check(order: Array(repeating: term, count: 16)) == nil)
        #expect(
            check(order: Array(repeating: term, count: 17)) == DomainError(.invalidValue, "order")
        )

        let condition = Filter.field(path, .exists(true))
        #expect(check(.all(Array(repeating: condition, count: 256))) == nil)
        #expect(
            check(.all(Array(repeating: condition, count: 257)))
                == DomainError(.invalidValue, "where")
        )
        let nested = { (depth: Int) in (1..<depth).reduce(condition) { filter, _ in .all([filter]) }
        }
        #expect(check(nested(32)) == nil)
        #expect(check(nested(33)) == DomainError(.invalidValue, "where"))

        let elements = { (count: Int) in
            Filter.field(path, .isIn(Array(repeating: .null, count: count)))
        }
        #expect(check(elements(4_096)) == nil)
        #expect(check(elements(4_097)) == DomainError(.invalidValue, "f"))
    }

    @Test("choices count like conditions, and conditions count wherever they stand")
    func countsTheTree() throws {
        let condition = Filter.field(try FieldPath("f"), .exists(true))
        let choices = { (count: Int) in Filter.any(Array(repeating: condition, count: count)) }
        #expect(check(choices(255)) == nil)
        #expect(check(choices(256)) == DomainError(.invalidValue, "where"))
        #expect(check(.all([choices(127), choices(127)])) == nil)
        #expect(check(.all([choices(127), choices(128)])) == DomainError(.invalidValue, "where"))
        #expect(check(.all(Array(repeating: .any([]), count: 257))) != nil)
        let nested = { (depth: Int) in (1..<depth).reduce(condition) { filter, _ in .any([filter]) }
        }
        #expect(check(nested(32)) == nil)
        #expect(check(nested(33)) == DomainError(.invalidValue, "where"))
    }

    @Test("every list has its limit, and all together have one")
    func limitsElements() throws {
        let path = try FieldPath("f")
        let list = { (count: Int) in Array(repeating: Value.null, count: count) }
        for make in [
            FieldOperator.isIn, FieldOperator.isNotIn, FieldOperator.containsAny,
            FieldOperator.containsNone, FieldOperator.containsAll,
        ] {
            #expect(check(.field(path, make(list(4_096)))) == nil)
            #expect(
                check(.field(path, make(list(4_097)))) == DomainError(.invalidValue, "f")
            )
            let two = { (count: Int) in
                Filter.any([
                    .field(path, .isIn(list(4_096))), .all([.field(path, make(list(count)))]),
                ])
            }
            #expect(check(two(4_096)) == nil)
            #expect(
                check(.all([two(4_096), .field(path, .isIn(list(1)))]))
                    == DomainError(.invalidValue, "where")
            )
        }
    }

    @Test("a filter has eight patterns at most, wherever they stand")
    func limitsPatterns() throws {
        let pattern = Filter.field(try FieldPath("f"), .matches(try Pattern("a")))
        let patterns = { (count: Int) in Array(repeating: pattern, count: count) }
        #expect(check(.all(patterns(8))) == nil)
        #expect(check(.any([.all(patterns(4)), .any(patterns(4))])) == nil)
        #expect(
            check(.any([.all(patterns(4)), .any(patterns(5))]))
                == DomainError(.invalidValue, "$regex")
        )
    }

    @Test("a range is over a number, a string or a Date")
    func checksRanges() throws {
        let path = try FieldPath("a.b")
        for literal in ["1", #""x""#, #"{"__type":"Date","iso":"2020-01-01T00:00:00Z"}"#] {
            #expect(check(.field(path, .less(try value(literal)))) == nil)
        }
        for literal in [
            "null", "true", "{}", "[]", #"{"__type":"GeoPoint","latitude":1,"longitude":1}"#,
        ] {
            let operand = try value(literal)
            for fieldOperator in [
                FieldOperator.less(operand), .lessOrEqual(operand), .greater(operand),
                .greaterOrEqual(operand),
            ] {
                #expect(
                    check(.all([.field(path, fieldOperator)])) == DomainError(.invalidType, "a.b")
                )
            }
        }
    }

    @Test(
        "paths are checked",
        arguments: [
            ("a", true), ("日本.b_c", true), ("a._b", true), ("objectId", true), ("", false),
            (".", false),
            ("a.", false), (".a", false), ("a..b", false), ("$a", false), ("_a", false),
            ("a.$b", false),
            ("acl", false), ("acl.*", false), ("a\u{0}", false), ("a.b\n", false),
        ]
    )
    func checksPaths(path: String, isAllowed: Bool) {
        let checked = try? FieldPath(Text(path))
        #expect((checked != nil) == isAllowed)
    }

    @Test("a path has up to thirty-two components of up to 256 bytes")
    func limitsPaths() {
        let path = { (count: Int) in
            Text(Array(repeating: "a", count: count).joined(separator: "."))
        }
        #expect(throws: Never.self) { try FieldPath(path(32)) }
        #expect(throws: DomainError.self) { try FieldPath(path(33)) }
        #expect(throws: Never.self) { try FieldPath(Text(String(repeating: "a", count: 256))) }
        #expect(throws: DomainError.self) {
            try FieldPath(Text(String(repeating: "a", count: 257)))
        }
    }

    private func check(
        _ filter: Filter = .all([]),
        order: [OrderTerm] = [],
        limit: Int = 100,
        skip: Int = 0
    ) -> DomainError? {
        failure { () throws(DomainError) in
            let query = Query(
                className: .user,
                filter: filter,
                order: order,
                limit: limit,
                skip: skip
            )
            try query.check()
        }
    }
}

@Suite("SortKey")
struct SortKeyTests {
    @Test("sorts by several fields in both directions, missing as null")
    func sorts() throws {
        let order = [
            OrderTerm(path: try FieldPath("a"), isDescending: true),
            OrderTerm(path: try FieldPath("b"), isDescending: false),
            OrderTerm(path: try FieldPath("createDate"), isDescending: true),
        ]
        // (document, creation) in the order that is expected.
        let expected: [(String, Int64)] = [
            (#"{"a":[1]}"#, 0), (#"{"a":"ab","b":null}"#, 0), (#"{"a":"a","b":1}"#, 2),
            (#"{"a":"a","b":1.0}"#, 1), (#"{"b":2,"a":"a"}"#, 9), (#"{"a":7}"#, 0), ("{}", 5),
            (#"{"a":null}"#, 4), (#"{"b":"x"}"#, 9),
        ]
        let sortKey = SortKey(order)
        let keys = expected.map { document, created in
            var output: [UInt8] = []
            let moment = Timestamp(millisecondsSinceEpoch: created)
            sortKey.append(
                Array(document.utf8).span,
                ObjectFacts(id: "a", created: moment, updated: moment),
                to: &output
            )
            return output
        }
        for (left, right) in zip(keys, keys.dropFirst()) {
            #expect(left.lexicographicallyPrecedes(right))
        }
    }

    @Test("a path through arrays sorts by the first value it finds")
    func sortsThroughArrays() throws {
        let sortKey = SortKey([OrderTerm(path: try FieldPath("l.k"), isDescending: false)])
        let facts = ObjectFacts(
            id: "a",
            created: Timestamp(millisecondsSinceEpoch: 0),
            updated: Timestamp(millisecondsSinceEpoch: 0)
        )
        var output: [UInt8] = []
        sortKey.append(Array(#"{"l":[1,{"x":0},{"k":7},{"k":2}]}"#.utf8).span, facts, to: &output)
        #expect(output == OrderedKey(.number(JSONNumber(7))).bytes)
    }
}
