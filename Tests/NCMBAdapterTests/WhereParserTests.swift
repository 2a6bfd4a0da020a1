import HatoWire
import ObjectModel
import Testing

@testable import NCMBAdapter

@Suite("WhereParser")
struct WhereParserTests {
    private static func filter(_ json: String, of className: ClassName? = nil) throws -> String {
        let className = try className ?? ClassName(dataStore: "Chat")
        let filter = try WhereParser(className: className).parse(Array(json.utf8))
        try filter.check()
        return text(filter)
    }

    private static func text(_ filter: Filter) -> String {
        switch filter {
        case .all(let parts): parts.map(Self.text).joined(separator: " & ")
        case .any(let parts): "(" + parts.map(Self.text).joined(separator: " | ") + ")"
        case .field(let path, let condition): path.text.string + " " + text(condition)
        }
    }

    private static func text(_ condition: FieldOperator) -> String {
        switch condition {
        case .equal(let value): "= \(text(value))"
        case .notEqual(let value): "≠ \(text(value))"
        case .less(let value): "< \(text(value))"
        case .lessOrEqual(let value): "≤ \(text(value))"
        case .greater(let value): "> \(text(value))"
        case .greaterOrEqual(let value): "≥ \(text(value))"
        case .isIn(let values): "in \(text(values))"
        case .isNotIn(let values): "not in \(text(values))"
        case .exists(let exists): exists ? "exists" : "misses"
        case .matches(let pattern): "~ \(pattern.text)"
        case .containsAny(let values): "has one of \(text(values))"
        case .containsNone(let values): "has none of \(text(values))"
        case .containsAll(let values): "has all of \(text(values))"
        case .near(let circle):
            "near \(text(circle.center))" + (circle.radiusRadians.map { " within \($0)" } ?? "")
        case .within(let box): "in box \(text(box.southWest)) \(text(box.northEast))"
        }
    }

    private static func text(_ place: GeoPosition) -> String {
        "\(place.latitude),\(place.longitude)"
    }

    private static func text(_ values: [Value]) -> String {
        values.map(text).joined(separator: ";")
    }

    private static func text(_ value: Value) -> String {
        String(decoding: value.canonicalBytes, as: UTF8.self)
    }

    @Test(
        "reads literals and the operators of this server",
        arguments: [
            ("{}", ""),
            (#"{"n":1}"#, "n = 1"),
            (#"{"n":9223372036854775807,"m":1.50}"#, "n = 9223372036854775807 & m = 1.50"),
            (#"{"s":"a","b":true,"z":null}"#, #"s = "a" & b = true & z = null"#),
            (#"{"a":[1,"x"]}"#, #"a = [1,"x"]"#),
            (#"{"o":{"k":{"v":1}}}"#, #"o = {"k":{"v":1}}"#),
            (#"{"o":{}}"#, "o = {}"),
            (
                #"{"p":{"__type":"Pointer","className":"Post","objectId":"P1"}}"#,
                #"p = {"__type":"Pointer","className":"Post","objectId":"P1"}"#
            ),
            (#"{"n":{"$gt":3,"$lte":9.5}}"#, "n > 3 & n ≤ 9.5"),
            (#"{"n":{"$lt":"b","$gte":"a"}}"#, #"n < "b" & n ≥ "a""#),
            (#"{"n":{"$ne":null}}"#, "n ≠ null"),
            (#"{"n":{"$in":[1,null,"x"]}}"#, #"n in 1;null;"x""#),
            (#"{"n":{"$in":[]}}"#, "n in "),
            (#"{"n":{"$exists":true},"m":{"$exists":false}}"#, "n exists & m misses"),
            (
                #"{"createDate":{"$gte":{"__type":"Date","iso":"2020-09-13T12:26:40.123Z"}}}"#,
                #"createDate ≥ {"__type":"Date","iso":"2020-09-13T12:26:40.123Z"}"#
            ),
            (#"{"address.city":"東京"}"#, #"address.city = "東京""#),
            (#"{"objectId":"OBJ1"}"#, #"objectId = "OBJ1""#),
            (#"{"n":{"$nin":[1,null,[2]]}}"#, "n not in 1;null;[2]"),
            (#"{"a":{"$inArray":["x","y"]}}"#, #"a has one of "x";"y""#),
            (#"{"a":{"$ninArray":[1]},"b":{"$all":[1,2]}}"#, "a has none of 1 & b has all of 1;2"),
            (#"{"s":{"$regex":"^東.*都$","$ne":"東の都"}}"#, #"s ~ ^東.*都$ & s ≠ "東の都""#),
            (#"{"$or":[{"n":1}]}"#, "(n = 1)"),
            (
                #"{"m":0,"$or":[{"n":1,"s":"a"},{"n":{"$gt":3}},{}]}"#,
                #"m = 0 & (n = 1 & s = "a" | n > 3 | )"#
            ),
            (#"{"$or":[{"$or":[{"a":1},{"b":2}]},{"c":3}]}"#, "((a = 1 | b = 2) | c = 3)"),
        ]
    )
    func reads(json: String, filter: String) throws {
        #expect(try Self.filter(json) == filter)
    }

    @Test(
        "refuses operators that it does not know, by name, wherever they stand",
        arguments: [
            (#"{"$relatedTo":{}}"#, "$relatedTo"),
            (#"{"$and":[{"n":1}]}"#, "$and"),
            (#"{"$nor":[{"n":1}]}"#, "$nor"),
            (#"{"$where":"true"}"#, "$where"),
            (#"{"$or":[{"n":1},{"$and":[]}]}"#, "$and"),
            (#"{"$or":[{"n":{"$mod":[2,1]}}]}"#, "$mod"),
            (#"{"n":{"$or":[{"n":1}]}}"#, "$or"),
            (#"{"n":{"$not":{"$gt":1}}}"#, "$not"),
            (#"{"n":{"$inQuery":{}}}"#, "$inQuery"),
            (#"{"n":{"$select":{}}}"#, "$select"),
            (#"{"n":{"$regex":"a","$options":"i"}}"#, "$options"),
            (#"{"n":{"$maxDistanceInMiles":1}}"#, "$maxDistanceInMiles"),
            (#"{"n":{"$gt":1,"$maxDistance":1}}"#, "$maxDistance"),
            (#"{"n":{"$within":{"$polygon":[]}}}"#, "$polygon"),
            (#"{"n":{"$gt":1,"x":2}}"#, "x"),
            (#"{"n":{"$":1}}"#, "$"),
        ]
    )
    func unknownOperators(json: String, name: Text) {
        #expect(throws: DomainError(.invalidValue, name)) { _ = try Self.filter(json) }
    }

    @Test(
        "refuses operands of the wrong type with the field's name",
        arguments: [
            #"{"n":{"$gt":null}}"#, #"{"n":{"$gt":true}}"#, #"{"n":{"$lt":{"a":1}}}"#,
            #"{"n":{"$gte":[1]}}"#,
            #"{"n":{"$lte":{"__type":"GeoPoint","latitude":1,"longitude":1}}}"#,
            #"{"n":{"$in":1}}"#, #"{"n":{"$in":{"0":1,"length":1}}}"#, #"{"n":{"$exists":1}}"#,
            #"{"n":{"$exists":"true"}}"#, #"{"n":{"__type":"Unknown"}}"#,
            #"{"n":{"__op":"Increment","amount":1}}"#, #"{"n":{"$ne":{"__type":"Date"}}}"#,
            #"{"n":{"$nin":1}}"#, #"{"n":{"$inArray":"x"}}"#, #"{"n":{"$ninArray":null}}"#,
            #"{"n":{"$all":{}}}"#, #"{"n":{"$regex":1}}"#, #"{"n":{"$regex":{"$ne":""}}}"#,
            #"{"n":{"$nearSphere":[1,2]}}"#, #"{"n":{"$nearSphere":{"latitude":1,"longitude":2}}}"#,
            #"{"n":{"$within":[]}}"#, #"{"n":{"$within":{}}}"#, #"{"n":{"$within":{"$box":[]}}}"#,
            #"{"n":{"$within":{"$box":[1,2]}}}"#, #"{"$or":[{"n":{"$in":1}}]}"#,
        ]
    )
    func operands(json: String) {
        #expect(throws: DomainError(.invalidType, "n")) { _ = try Self.filter(json) }
    }

    @Test(
        "refuses what is no JSON object",
        arguments: ["", "[]", "1", "{", #"{"a":1,"a":2}"#, "null", #"{"n":{"$gt":{"#]
    )
    func damaged(json: String) {
        do {
            _ = try Self.filter(json)
            Issue.record("accepted")
        } catch let error as DomainError {
            #expect(error.code == .malformedJSON)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test(
        "refuses bad names of fields",
        arguments: [#"{"":1}"#, #"{"_id":1}"#, #"{"a..b":1}"#, #"{"acl":1}"#, #"{"acl.*":1}"#]
    )
    func names(json: String) {
        do {
            _ = try Self.filter(json)
            Issue.record("accepted")
        } catch let error as DomainError {
            #expect(error.code == .invalidFormat)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test(
        "fields of accounts can't be asked for among users, however deep",
        arguments: [
            ("password", "password"), ("mailAddress", "mailAddress"),
            ("mailAddressConfirm", "mailAddressConfirm"), ("authData", "authData"),
            ("authData.anonymous.id", "authData"), ("sessionToken", "sessionToken"),
            ("temporaryPassword", "temporaryPassword"),
        ]
    )
    func hiddenFields(field: String, subject: Text) throws {
        for condition in ["null", #""right""#, #""wrong""#, #"{"$gt":"a"}"#, #"{"$exists":true}"#] {
            #expect(throws: DomainError(.invalidValue, subject)) {
                _ = try Self.filter("{\"\(field)\":\(condition)}", of: .user)
            }
        }
        // In a class of the data store these are names like any other.
        #expect(try Self.filter("{\"\(field)\":1}") == "\(field) = 1")
    }

    @Test("takes conditions and operands up to their limits and none past them")
    func limits() throws {
        let limits = QueryLimits()
        let operands = { (count: Int) in Array(repeating: "1", count: count).joined(separator: ",")
        }
        _ = try Self.filter("{\"n\":{\"$in\":[\(operands(limits.elementCount))]}}")
        #expect(throws: DomainError(.invalidValue, "n")) {
            _ = try Self.filter("{\"n\":{\"$in\":[\(operands(limits.elementCount + 1))]}}")
        }
        let conditions = { (count: Int) in
            (0..<count).map { "\"f\($0)\":1" }.joined(separator: ",")
        }
        _ = try Self.filter("{\(conditions(limits.operatorCount))}")
        #expect(throws: DomainError(.invalidValue, "where")) {
            _ = try Self.filter("{\(conditions(limits.operatorCount + 1))}")
        }
    }

    @Test("the filter's own bytes have a limit")
    func limitsBytes() throws {
        let filter = { (count: Int) in
            "{\"s\":\"" + String(repeating: "a", count: count - 8) + "\"}"
        }
        let limit = QueryLimits().filterBytes
        #expect(filter(limit).utf8.count == limit)
        _ = try Self.filter(filter(limit))
        #expect(throws: DomainError(.invalidValue, "where")) {
            _ = try Self.filter(filter(limit + 1))
        }
    }

    @Test("patterns are counted and measured before one is compiled too many")
    func limitsPatterns() throws {
        let patterns = { (count: Int) in
            "{"
                + (0..<count).map { "\"f\($0)\":{\"$regex\":\"a\($0)\"}" }
                .joined(separator: ",") + "}"
        }
        _ = try Self.filter(patterns(8))
        let refusal = DomainError(.invalidValue, "$regex")
        #expect(throws: refusal) { _ = try Self.filter(patterns(9)) }
        #expect(throws: refusal) {
            _ = try Self.filter("{\"$or\":[\(patterns(4)),\(patterns(5))]}")
        }
        let long = { (count: Int) in
            "{\"s\":{\"$regex\":\"" + String(repeating: "a", count: count) + "\"}}"
        }
        _ = try Self.filter(long(1_024))
        #expect(throws: refusal) { _ = try Self.filter(long(1_025)) }
        for text in ["(", "[a", #"\\C"#, "(*COMMIT)"] {
            #expect(throws: refusal) {
                _ = try Self.filter("{\"s\":{\"$regex\":\"\(text)\"}}")
            }
        }
    }

    @Test(
        "$or takes an array of filters, and not an empty one",
        arguments: [
            (#"{"$or":[]}"#, DomainError.Code.invalidValue), (#"{"$or":{}}"#, .invalidType),
            (#"{"$or":1}"#, .invalidType), (#"{"$or":[1]}"#, .invalidType),
            (#"{"$or":[{"a":1},null]}"#, .invalidType), (#"{"$or":[[]]}"#, .invalidType),
            (#"{"$or":[{"$or":[]}]}"#, .invalidValue),
        ]
    )
    func choices(json: String, code: DomainError.Code) {
        #expect(throws: DomainError(code, "$or")) { _ = try Self.filter(json) }
    }

    @Test("choices can't ask for hidden fields or bad names either, and nest up to the limit")
    func choicesAreChecked() throws {
        #expect(throws: DomainError(.invalidValue, "password")) {
            _ = try Self.filter(#"{"$or":[{"a":1},{"password":{"$regex":"^a"}}]}"#, of: .user)
        }
        #expect(throws: DomainError(.invalidValue, "mailAddress")) {
            _ = try Self.filter(#"{"$or":[{"$or":[{"mailAddress":"a"}]}]}"#, of: .user)
        }
        #expect(throws: DomainError(.invalidFormat, "acl")) {
            _ = try Self.filter(#"{"$or":[{"acl":1}]}"#)
        }
        let nested = { (count: Int) in
            String(repeating: #"{"$or":["#, count: count) + #"{"n":1}"#
                + String(repeating: "]}", count: count)
        }
        _ = try Self.filter(nested(15))
        #expect(throws: DomainError.self) { _ = try Self.filter(nested(16)) }
        #expect(throws: DomainError(.malformedJSON)) { _ = try Self.filter(nested(5_000)) }
    }
}
