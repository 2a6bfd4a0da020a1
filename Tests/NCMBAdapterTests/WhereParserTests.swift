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
        guard case .all(let parts) = filter else { return "not a conjunction" }
        return parts.map(Self.text).joined(separator: " & ")
    }

    private static func text(_ filter: Filter) -> String {
        guard case .field(let path, let condition) = filter else { return "not a field" }
        let name = path.components.map(\.string).joined(separator: ".")
        return switch condition {
        case .equal(let value): "\(name) = \(text(value))"
        case .notEqual(let value): "\(name) ≠ \(text(value))"
        case .less(let value): "\(name) < \(text(value))"
        case .lessOrEqual(let value): "\(name) ≤ \(text(value))"
        case .greater(let value): "\(name) > \(text(value))"
        case .greaterOrEqual(let value): "\(name) ≥ \(text(value))"
        case .isIn(let values): "\(name) in \(values.map(text).joined(separator: ";"))"
        case .exists(let exists): "\(name) \(exists ? "exists" : "misses")"
        }
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
        ]
    )
    func reads(json: String, filter: String) throws {
        #expect(try Self.filter(json) == filter)
    }

    @Test(
        "refuses operators that it does not know, by name, wherever they stand",
        arguments: [
            (#"{"$or":[{"n":1}]}"#, "$or"),
            (#"{"$or":{"0":{}}}"#, "$or"),
            (#"{"$relatedTo":{}}"#, "$relatedTo"),
            (#"{"n":{"$nin":[1]}}"#, "$nin"),
            (#"{"n":{"$gt":1,"$regex":"^a"}}"#, "$regex"),
            (#"{"n":{"$inArray":[1]}}"#, "$inArray"),
            (#"{"n":{"$ninArray":[1]}}"#, "$ninArray"),
            (#"{"n":{"$all":[1]}}"#, "$all"),
            (#"{"n":{"$inQuery":{}}}"#, "$inQuery"),
            (#"{"n":{"$select":{}}}"#, "$select"),
            (#"{"n":{"$nearSphere":{}}}"#, "$nearSphere"),
            (#"{"n":{"$within":{}}}"#, "$within"),
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
}
