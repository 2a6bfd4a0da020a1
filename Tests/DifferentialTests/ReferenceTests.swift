import HatoWire
import ObjectModel
import Testing

/// The rulings' own sentences, asked of the reference.
@Suite("The reference of queries")
struct ReferenceTests {
    private func subject(_ fields: (Text, Value)..., acl: [ACL.Entry] = []) -> Subject {
        Subject(
            number: 0,
            fields: fields.map { ValueMember(name: $0.0, value: $0.1) },
            acl: acl,
            id: "id",
            row: 1,
            created: Timestamp(millisecondsSinceEpoch: 0),
            updated: Timestamp(millisecondsSinceEpoch: 5)
        )
    }

    private func holds(_ path: Text, _ condition: FieldOperator, _ subject: Subject) throws -> Bool
    {
        Reference.matches(.field(try FieldPath(path), condition), subject)
    }

    private static func number(_ text: Text) -> Value { ValuePools.number(text) }

    @Test("types are ordered as null, numbers, strings, objects, arrays, booleans, dates")
    func types() {
        let ascending: [Value] = [
            .null, ReferenceTests.number("9"), .string("0"), ValuePools.pointers[0],
            .array([]), .bool(false), .bool(true),
            .date(Timestamp(millisecondsSinceEpoch: 0)),
        ]
        for (left, right) in zip(ascending, ascending.dropFirst()) {
            #expect(ReferenceOrder.order(left, right) == -1)
            #expect(ReferenceOrder.order(right, left) == 1)
        }
    }

    @Test("numbers of one meaning are equal, and neighbours of integers and Doubles are told apart")
    func numbers() {
        let ascending: [[Text]] = [
            ["-1e300"], ["-9223372036854775809", "-9223372036854775808"], ["-5"],
            ["-5e-324"], ["0", "-0", "-0.0", "0e5"], ["5e-324"], ["0.1", "1e-1"],
            ["5", "5.0", "5e0", "50e-1"], ["5.000000000000001"],
            ["9007199254740992", "9007199254740992.0"], ["9007199254740993"],
            ["9007199254740994"], ["9223372036854775807"],
            ["9223372036854775808", "9.223372036854775808e18"], ["1.7976931348623157e308"],
        ]
        for (index, texts) in ascending.enumerated() {
            for (other, others) in ascending.enumerated() {
                for left in texts {
                    for right in others {
                        let order = ReferenceOrder.order(
                            ReferenceTests.number(left),
                            ReferenceTests.number(right)
                        )
                        #expect(order == ReferenceOrder.order(index, other), "\(left) \(right)")
                    }
                }
            }
        }
    }

    @Test("texts compare by bytes, and objects whatever the order of their members")
    func bytes() {
        #expect(ReferenceOrder.order(.string("é"), .string("e\u{301}")) == 1)
        #expect(ReferenceOrder.order(.string("\u{FFFF}"), .string("😀")) == -1)
        #expect(ReferenceOrder.areEqual(ValuePools.objects[3], ValuePools.objects[4]))
        #expect(!ReferenceOrder.areEqual(ValuePools.objects[7], ValuePools.objects[8]))
    }

    @Test("equality with null finds what is missing, and only that what is missing does not exist")
    func missing() throws {
        let object = subject(("a", .null))
        for name in ["a", "b"] as [Text] {
            #expect(try holds(name, .equal(.null), object))
            #expect(try holds(name, .isIn([.null]), object))
            #expect(try !holds(name, .notEqual(.null), object))
            #expect(try holds(name, .notEqual(.string("x")), object))
            #expect(try holds(name, .containsNone([.null]), object))
            #expect(try holds(name, .exists(true), object) == (name == "a"))
        }
    }

    @Test("each operator on an array is satisfied on its own, inside one type")
    func arrays() throws {
        let object = subject(
            ("t", .array([ReferenceTests.number("1"), ReferenceTests.number("9")]))
        )
        #expect(try holds("t", .greater(ReferenceTests.number("5")), object))
        #expect(try holds("t", .less(ReferenceTests.number("5")), object))
        #expect(try !holds("t", .less(.string("5")), object))
        #expect(try holds("t", .equal(ReferenceTests.number("9.0")), object))
        #expect(try holds("t", .containsAll([ReferenceTests.number("9e0")]), object))
        #expect(try !holds("t", .containsAll([]), object))
        #expect(try !holds("t", .containsAny([]), object))
        #expect(try holds("t", .containsNone([]), object))
    }

    @Test("paths pass through objects in arrays, and into Pointers, not into Dates")
    func paths() throws {
        let object = subject(("o", ValuePools.objects[10]), ("p", ValuePools.pointers[1]))
        #expect(try holds("o.a.b", .equal(ReferenceTests.number("4")), object))
        #expect(try holds("o.a.b", .equal(ReferenceTests.number("5")), object))
        #expect(try !holds("o.a.b", .equal(.null), object))
        #expect(try holds("p.objectId", .equal(.string("b")), object))
        #expect(try holds("createDate.iso", .exists(false), object))
    }

    @Test("a pattern is found anywhere unless it is anchored")
    func patterns() {
        let cases: [(Text, Text, Bool)] = [
            ("b", "abc", true), ("^b", "abc", false), ("c$", "abc", true), ("^$", "", true),
            ("^a.c$", "abc", true), ("a.c", "a\nc", false), ("c$", "abc\n", true),
            ("a.*d", "abcd", true), ("\\.", "abc", false), ("^.$", "é", true),
            ("^.$", "e\u{301}", false),
        ]
        for (pattern, text, isFound) in cases {
            #expect(PlainPattern(pattern).isFound(in: text) == isFound, "\(pattern) in \(text)")
        }
    }

    @Test("no place of the generator lies where rounding would decide")
    func distances() {
        let places = [ValuePools.places, ValuePools.spots].map {
            $0.compactMap { Sphere.place($0) }
        }
        for center in places.joined() {
            for angle in places.joined().map({ Sphere.angle(center, $0) }) {
                for radius in ValuePools.radii.compactMap(\.self) {
                    #expect(abs(angle - radius) > 1e-6)
                }
            }
        }
        for center in places[1] {
            let angles = places[1].map { Sphere.angle(center, $0) }.sorted()
            #expect(zip(angles, angles.dropFirst()).allSatisfy { $1 - $0 > 1e-6 })
        }
    }

    @Test("the quarter of a great circle is a right angle, over the poles and the date line too")
    func angles() throws {
        func place(_ latitude: Double, _ longitude: Double) throws -> GeoPosition {
            try #require(GeoPosition(latitude: latitude, longitude: longitude))
        }
        let quarter = Double.pi / 2
        #expect(abs(Sphere.angle(try place(0, 0), try place(0, 90)) - quarter) < 1e-12)
        #expect(abs(Sphere.angle(try place(0, 135), try place(0, -135)) - quarter) < 1e-12)
        #expect(abs(Sphere.angle(try place(45, 10), try place(45, -170)) - quarter) < 1e-12)
        #expect(Sphere.angle(try place(90, 12.5), try place(90, -100)) < 1e-12)
        let box = try #require(
            GeoBox(southWest: try place(-20, 170), northEast: try place(90, -175))
        )
        #expect(Sphere.contains(box, try place(0, 180)))
        #expect(Sphere.contains(box, try place(90, 0)))
        #expect(!Sphere.contains(box, try place(0, 0)))
    }

    @Test(
        "access is by everybody's key, the user's and the roles' keys, and the administrator's by none"
    )
    func access() {
        let secret = subject(acl: [ACL.Entry(key: "role:staff", mayRead: true, mayWrite: false)])
        let writable = subject(acl: [ACL.Entry(key: "*", mayRead: false, mayWrite: true)])
        let readers = QuestionGenerator.principals.map { Reference.mayRead($0, secret) }
        #expect(readers == [false, false, false, true, true])
        #expect(QuestionGenerator.principals.map { Reference.mayRead($0, writable) }.last == true)
        #expect(!Reference.mayRead(.stranger, writable))
    }
}
