import Backend
import HatoWire
import ObjectModel
import Testing

@testable import NCMBAdapter

@Suite("UserBodyParser")
struct UserBodyParserTests {
    private static func draft(_ json: String) throws -> UserDraft {
        guard case .object(let object) = try JSON.parse(Array(json.utf8)) else {
            throw DomainError(.malformedJSON)
        }
        return try UserBodyParser.parse(object, limits: DocumentLimits())
    }

    @Test("parts the account's fields from the user's own")
    func parts() throws {
        let draft = try Self.draft(
            #"{"userName":"山田","password":"p","mailAddress":"a@b","nick":"y","acl":{"*":{"read":true}}}"#
        )
        #expect(draft.userName == "山田")
        #expect(draft.password == "p")
        #expect(draft.mailAddress == .some("a@b"))
        #expect(draft.authData == nil)
        #expect(draft.changes.map(\.name) == ["nick"])
        #expect(draft.acl == ACL([ACL.Entry(key: "*", mayRead: true, mayWrite: false)]))
    }

    @Test("drops what SDKs send back of a fetched user")
    func leftovers() throws {
        let draft = try Self.draft(
            #"{"objectId":"U","createDate":"x","updateDate":"x","sessionToken":"t","#
                + #""temporaryPassword":"p","mailAddressConfirm":true,"authData":null,"mailAddress":null}"#
        )
        #expect(draft.changes.isEmpty)
        #expect(draft.authData == nil)
        #expect(draft.mailAddress == .some(nil))
    }

    @Test("keeps of an anonymous entry its id alone")
    func anonymous() throws {
        let draft = try Self.draft(#"{"authData":{"anonymous":{"id":"a/b","isAdmin":true}}}"#)
        let data = try #require(draft.authData?.first?.data)
        #expect(data.provider == "anonymous")
        #expect(data.providerID == "a/b")
        #expect(String(decoding: data.json, as: UTF8.self) == #"{"id":"a\/b"}"#)
    }

    @Test(
        "refuses ids that are no plain text",
        arguments: [
            #"{"authData":{}}"#, #"{"authData":[]}"#, #"{"authData":"x"}"#,
            #"{"authData":{"anonymous":{}}}"#, #"{"authData":{"anonymous":{"id":""}}}"#,
            #"{"authData":{"anonymous":{"id":{"$ne":""}}}}"#,
            #"{"authData":{"anonymous":{"id":1}}}"#, #"{"authData":{"anonymous":"x"}}"#,
            #"{"authData":{"facebook":{"id":["1"]}}}"#,
        ]
    )
    func ids(json: String) {
        #expect(throws: DomainError(.invalidType, "authData")) { _ = try Self.draft(json) }
    }

    @Test("takes an id of 256 bytes and none longer")
    func idLimit() throws {
        let id = { String(repeating: "x", count: $0) }
        _ = try Self.draft(#"{"authData":{"anonymous":{"id":""# + id(256) + #""}}}"#)
        #expect(throws: DomainError(.invalidType, "authData")) {
            _ = try Self.draft(#"{"authData":{"anonymous":{"id":""# + id(257) + #""}}}"#)
        }
    }

    @Test(
        "refuses account fields of other types",
        arguments: ["userName", "password", "mailAddress"]
    )
    func types(field: String) {
        for value in ["1", "true", "{}", "[]", #"{"$ne":""}"#] {
            #expect(throws: DomainError(.invalidType, Text(field))) {
                _ = try Self.draft("{\"\(field)\":\(value)}")
            }
        }
    }
}

@Suite("LoginParser")
struct LoginParserTests {
    private static func login(_ json: String) throws -> LoginParser.Login {
        guard case .object(let object) = try JSON.parse(Array(json.utf8)) else {
            throw DomainError(.malformedJSON)
        }
        return try LoginParser.parse(object)
    }

    @Test("reads a name, or an address when there is none")
    func reads() throws {
        let byName = try Self.login(#"{"userName":"u","mailAddress":"a@b","password":"p","x":1}"#)
        guard case .userName("u") = byName.name else { return #expect(Bool(false)) }
        #expect(byName.password == "p")
        let byMail = try Self.login(#"{"userName":null,"mailAddress":"a@b","password":"p"}"#)
        guard case .mailAddress("a@b") = byMail.name else { return #expect(Bool(false)) }
    }

    @Test("reads the query form")
    func query() throws {
        let query = try QueryParameters(Array("password=p%40ss+word&userName=%E5%B1%B1".utf8)[...])
        let login = try LoginParser.parse(query)
        guard case .userName("山") = login.name else { return #expect(Bool(false)) }
        #expect(login.password == "p@ss word")
    }

    @Test(
        "names what is missing or no text",
        arguments: [
            ("{}", DomainError(.empty, "password")),
            (#"{"userName":"u"}"#, DomainError(.empty, "password")),
            (#"{"userName":"u","password":""}"#, DomainError(.empty, "password")),
            (#"{"userName":"u","password":null}"#, DomainError(.empty, "password")),
            (#"{"password":"p"}"#, DomainError(.empty, "userName or mailAddress")),
            (#"{"userName":"","password":"p"}"#, DomainError(.empty, "userName or mailAddress")),
            (#"{"userName":{"$ne":""},"password":"p"}"#, DomainError(.invalidType, "userName")),
            (#"{"userName":"u","password":{"$ne":""}}"#, DomainError(.invalidType, "password")),
        ]
    )
    func refuses(json: String, error: DomainError) {
        #expect(throws: error) { _ = try Self.login(json) }
    }
}

@Suite("RequestBody")
struct RequestBodyTests {
    private static func code(_ body: String, _ type: String?) throws -> String? {
        let request = try TestRequest.parse(
            "POST",
            headers: type.map { [("Content-Type", $0)] } ?? [],
            body: body
        )
        do throws(NCMBError) {
            _ = try RequestBody.object(of: request, limits: DocumentLimits())
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "takes JSON objects, with or without a type",
        arguments: [
            nil, "application/json", "application/json; charset=utf-8", "Application/JSON",
            "application/json;charset=UTF-8",
        ]
    )
    func takes(type: String?) throws {
        #expect(try Self.code("{}", type) == nil)
    }

    @Test(
        "refuses other types",
        arguments: [
            "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded",
            "application/jsonp", "application/jso",
        ]
    )
    func types(type: String) throws {
        #expect(try Self.code("{}", type) == "E415001")
    }

    @Test("refuses bodies that are no JSON object", arguments: ["", "[]", "1", "{", "{}}", "null"])
    func bodies(body: String) throws {
        #expect(try Self.code(body, "application/json") == "E400001")
    }
}
