import HatoWire
import ObjectModel
import Testing

@Suite("Operators of arrays, choices and places")
struct OperatorTests {
    private static let document =
        #"{"n":5,"s":"a","z":null,"a":[1,"x",[2],null,{"k":1,"b":2.0}],"e":[],"#
        + #""l":[{"k":[1,2]},{"k":[3]},{"k":4}],"o":{"a":["y"]},"#
        + #""g":{"__type":"GeoPoint","latitude":35.5,"longitude":139.75},"#
        + #""gs":[{"__type":"GeoPoint","latitude":-1,"longitude":180},7,"#
        + #"{"__type":"GeoPoint","latitude":10e0,"longitude":-0.0}],"#
        + #""fake":{"latitude":35.5,"longitude":139.75}}"#

    @Test(
        "an array contains elements, and only an array does",
        arguments: [
            ("a", "[1.0]", true, true), ("a", #"["x",7]"#, true, false),
            ("a", #"[1,"x",null]"#, true, true), ("a", "[[2.0]]", true, true),
            ("a", "[2]", false, false), ("a", #"[{"b":2,"k":1.0}]"#, true, true),
            ("a", "[1,1,1.0]", true, true), ("a", "[]", false, false),
            // The whole array is none of its elements.
            ("a", #"[[1,"x",[2],null,{"k":1,"b":2}]]"#, false, false),
            ("n", "[5]", false, false), ("s", #"["a"]"#, false, false),
            ("z", "[null]", false, false), ("missing", "[null]", false, false),
            ("e", "[null]", false, false), ("e", "[[]]", false, false),
            // A path may find several arrays; each element may be in another.
            ("l.k", "[2,3]", true, true), ("l.k", "[3,9]", true, false),
            ("l.k", "[4]", false, false), ("o.a", #"["y"]"#, true, true),
            ("objectId", #"["ID1"]"#, false, false),
        ]
    )
    func contains(path: String, elements: String, hasAny: Bool, hasAll: Bool) throws {
        guard case .array(let elements) = try value(elements) else { return #expect(Bool(false)) }
        #expect(try matches(path, .containsAny(elements)) == hasAny)
        #expect(try matches(path, .containsNone(elements)) == !hasAny)
        #expect(try matches(path, .containsAll(elements)) == hasAll)
        #expect(try matches(path, .containsAll(elements.reversed())) == hasAll)
    }

    @Test("$nin is whatever $in is not, for missing fields, null and arrays too")
    func isNotIn() throws {
        for (path, literals, isIn) in [
            ("n", "[4,5.0]", true), ("n", "[]", false), ("n", #"["5"]"#, false),
            ("a", "[[2]]", true), ("a", #"["x"]"#, true), ("a", "[2]", false),
            ("missing", "[null]", true), ("missing", "[1]", false), ("z", "[null]", true),
            ("e", "[[]]", true), ("e", "[null]", false), ("l.k", "[4]", true),
            ("createDate", #"["1970-01-01T00:00:00Z"]"#, true),
        ] {
            guard case .array(let literals) = try value(literals) else { continue }
            #expect(try matches(path, .isIn(literals)) == isIn)
            #expect(try matches(path, .isNotIn(literals)) == !isIn)
        }
    }

    @Test("one choice is enough, none never is, and choices may stand in each other")
    func choices() throws {
        let five = Filter.field(try FieldPath("n"), .equal(try value("5")))
        let six = Filter.field(try FieldPath("n"), .equal(try value("6")))
        let text = Filter.field(try FieldPath("s"), .equal(.string("a")))
        for (filter, isMatch) in [
            (Filter.any([]), false), (.any([six]), false), (.any([six, five]), true),
            (.any([five, six]), true), (.all([text, .any([six, five])]), true),
            (.all([six, .any([five])]), false), (.any([.all([six, text]), .all([])]), true),
            (.any([.any([]), .any([six, .all([five, text])])]), true),
        ] {
            #expect(matches(filter) == isMatch)
        }
    }

    @Test("a place is near or in a box when one of the field's GeoPoints is")
    func places() throws {
        for (path, latitude, longitude, degrees, isNear) in [
            ("g", 35.5, 139.75, 0.0, true), ("g", 35.5, 139.76, 0.0, false),
            ("g", 36.0, 139.75, 0.51, true), ("g", 36.0, 139.75, 0.49, false),
            ("gs", -1.0, -180.0, 0.0, true), ("gs", 10.0, 0.0, 0.0, true),
            ("gs", 5.0, 90.0, 10.0, false), ("fake", 35.5, 139.75, 180.0, false),
            ("missing", 0.0, 0.0, 180.0, false), ("n", 0.0, 0.0, 180.0, false),
            ("objectId", 0.0, 0.0, 180.0, false),
        ] {
            let center = try #require(GeoPosition(latitude: latitude, longitude: longitude))
            let radius = degrees * Double.pi / 180
            let circle = try #require(GeoCircle(center: center, radiusRadians: radius))
            #expect(try matches(path, .near(circle)) == isNear, "\(path) \(circle)")
            let everywhere = try #require(GeoCircle(center: center))
            #expect(try matches(path, .near(everywhere)) == ["g", "gs"].contains(path))
        }
        for (path, corners, isInside) in [
            ("g", [35.0, 139.0, 36.0, 140.0], true), ("g", [35.5, 139.75, 35.5, 139.75], true),
            ("g", [35.6, 139, 36, 140], false), ("gs", [-2, 170, 0, -170], true),
            ("gs", [9, -1, 11, 1], true), ("gs", [-2, 0, 2, 90], false),
            ("fake", [-90, -180, 90, 180], false),
        ] {
            let southWest = try #require(
                GeoPosition(latitude: corners[0], longitude: corners[1])
            )
            let northEast = try #require(
                GeoPosition(latitude: corners[2], longitude: corners[3])
            )
            let box = try #require(GeoBox(southWest: southWest, northEast: northEast))
            #expect(try matches(path, .within(box)) == isInside, "\(path) \(corners)")
        }
    }

    @Test("damaged documents do not trap")
    func bearsDamage() throws {
        let whole = Array(Self.document.utf8)
        let center = try #require(GeoPosition(latitude: 35, longitude: 139))
        let circle = try #require(GeoCircle(center: center, radiusRadians: 1))
        let operators = [
            FieldOperator.near(circle),
            .containsAll([.string("x"), .null]), .containsNone([.number(JSONNumber(1))]),
            .matches(try Pattern("a|x")), .isNotIn([.null]),
        ]
        for path in ["g", "gs", "a", "l.k", "s"] {
            for fieldOperator in operators {
                var matcher = Matcher(.field(try FieldPath(Text(path)), fieldOperator))
                for count in 0..<whole.count {
                    let damaged = Array(whole[..<count])
                    _ = matcher.matches(damaged.span, Self.facts)
                }
                #expect(matcher.failure == nil)
            }
        }
    }

    @Test("sorts by distance, the nearest of several places, what is nowhere last")
    func sortsByDistance() throws {
        let origin = try #require(GeoPosition(latitude: 0, longitude: 179))
        let place = { (latitude: Int, longitude: Int) in
            "{\"__type\":\"GeoPoint\",\"latitude\":\(latitude),\"longitude\":\(longitude)}"
        }
        let documents = [
            "{\"g\":\(place(0, 179))}", "{\"g\":[1,\(place(0, 0)),\(place(0, -180))]}",
            "{\"g\":\(place(0, -179))}", "{\"g\":\(place(90, 5))}", "{\"g\":\(place(0, -1))}",
            #"{"g":7}"#,
        ]
        for isDescending in [false, true] {
            let sortKey = SortKey([
                OrderTerm(path: try FieldPath("g"), isDescending: isDescending, origin: origin)
            ])
            let keys = documents.map { document in
                var output: [UInt8] = []
                sortKey.append(Array(document.utf8).span, Self.facts, to: &output)
                return output
            }
            for (left, right) in zip(keys, keys.dropFirst()) {
                #expect(left.lexicographicallyPrecedes(right) == !isDescending)
                #expect(left != right)
            }
            // All that have no place are alike.
            var missing: [UInt8] = []
            sortKey.append(Array("{}".utf8).span, Self.facts, to: &missing)
            #expect(missing == keys.last)
        }
    }

    @Test("a circle orders by distance when every object must lie in it")
    func nearestFirst() throws {
        let path = try FieldPath("g")
        let center = try #require(GeoPosition(latitude: 1, longitude: 2))
        let circle = try #require(GeoCircle(center: center))
        let near = Filter.field(path, .near(circle))
        let exists = Filter.field(path, .exists(true))
        let term = OrderTerm(path: path, isDescending: false, origin: center)
        #expect(near.nearestFirst == term)
        #expect(Filter.all([exists, .all([near]), near]).nearestFirst == term)
        #expect(Filter.any([near]).nearestFirst == nil)
        #expect(Filter.all([exists, .any([near, near])]).nearestFirst == nil)
    }

    private static let facts = ObjectFacts(
        id: "ID1",
        created: Timestamp(millisecondsSinceEpoch: 0),
        updated: Timestamp(millisecondsSinceEpoch: 0)
    )

    private func matches(_ path: String, _ fieldOperator: FieldOperator) throws -> Bool {
        matches(.field(try FieldPath(Text(path)), fieldOperator))
    }

    private func matches(_ filter: Filter) -> Bool {
        var matcher = Matcher(filter)
        return matcher.matches(Array(Self.document.utf8).span, Self.facts)
    }
}
