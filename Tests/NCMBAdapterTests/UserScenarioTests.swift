import HatoTesting
import HatoWire
import ObjectModel
import Testing

/// The names of an answer's members, in their order, and its values.
struct Answered {
    let object: JSONObject

    init(_ response: TestHTTPResponse) throws {
        guard case .object(let object) = try JSON.parse(response.body) else {
            throw TestFailure.malformed(response.text)
        }
        self.object = object
    }

    var keys: [String] { object.members.map(\.name.string) }

    func text(_ name: Text) throws -> String {
        guard case .string(let text)? = object[name] else {
            throw TestFailure.malformed("no text \(name)")
        }
        return text.string
    }

    /// The objects of a list.
    func results() throws -> [JSONObject] {
        guard case .array(let elements)? = object["results"] else {
            throw TestFailure.malformed("no results")
        }
        return try elements.map { element in
            guard case .object(let object) = element else {
                throw TestFailure.malformed("a result that is no object")
            }
            return object
        }
    }
}

@Suite("Users over REST")
struct UserScenarioTests {
    // MARK: What auth answers hold (security checks 2: a snapshot of each)

    @Test("a sign-up answers exactly its five members")
    func signUp() async throws {
        let world = try await World.serving()
        let answer = try world.request(
            "POST",
            "/users",
            body: #"{"userName":"tanaka","password":"p","mailAddress":"t@example.com","nick":"t"}"#
        )
        #expect(answer.status == 201)
        let user = try Answered(answer)
        #expect(user.keys == ["createDate", "objectId", "sessionToken", "userName", "authData"])
        #expect(user.object["authData"] == .null)
        #expect(try user.text("userName") == "tanaka")
        #expect(try user.text("sessionToken").utf8.count == 25)
        #expect(try user.text("createDate").utf8.count == 24)
    }

    @Test(
        "an anonymous sign-up answers its eight members, and the second one logs the same user in"
    )
    func anonymous() async throws {
        let world = try await World.serving()
        let body =
            #"{"authData":{"anonymous":{"id":"C0C17868-6340-4E0F-85DA-34BFB1F67843"}},"nick":"a"}"#
        let first = try world.request("POST", "/users", body: body)
        #expect(first.status == 201)
        let made = try Answered(first)
        #expect(
            made.keys == [
                "createDate", "objectId", "userName", "authData", "mailAddress",
                "mailAddressConfirm", "sessionToken", "updateDate",
            ]
        )
        #expect(made.object["mailAddressConfirm"] == .bool(false))
        #expect(made.object["mailAddress"] == .null)
        #expect(try made.text("userName").utf8.count == 10)

        let second = try world.request("POST", "/users", body: body)
        #expect(second.status == 200)
        let known = try Answered(second)
        #expect(Set(known.keys) == Self.loginKeys.union(["nick"]))
        #expect(try known.text("objectId") == made.text("objectId"))
        #expect(try known.text("sessionToken") != made.text("sessionToken"))
        // The earlier session goes on.
        let own = try world.request(
            "GET",
            "/users/\(made.text("objectId"))",
            session: made.text("sessionToken")
        )
        #expect(own.status == 200)
    }

    private static let loginKeys: Set<String> = [
        "objectId", "createDate", "updateDate", "acl", "userName", "mailAddress",
        "mailAddressConfirm", "authData", "sessionToken",
    ]

    @Test("a login answers the whole user: own fields, unset ones null, nothing secret")
    func login() async throws {
        let world = try await World.serving()
        for answer in [
            try world.request(
                "POST",
                "/login",
                body: #"{"userName":"yamada","password":"p@ss word","nick":"ignored"}"#
            ),
            try world.request("GET", "/login?password=p%40ss+word&userName=yamada"),
            try world.request("GET", "/login/?password=p%40ss%20word&userName=yamada"),
        ] {
            #expect(answer.status == 200)
            let user = try Answered(answer)
            #expect(user.keys.count == Self.loginKeys.count)
            #expect(Set(user.keys) == Self.loginKeys)
            for name: Text in ["mailAddress", "mailAddressConfirm", "authData"] {
                #expect(user.object[name] == .null)
            }
            #expect(!answer.text.contains("argon2"))
        }
    }

    @Test("a user that its own ACL shuts out can still log in")
    func shutOut() async throws {
        let world = try await World.serving()
        let token = try Answered(
            world.request(
                "POST",
                "/users",
                body: #"{"userName":"tanaka","password":"p","acl":{}}"#
            )
        ).text("sessionToken")
        #expect(!token.isEmpty)
        let answer = try world.request(
            "POST",
            "/login",
            body: #"{"userName":"tanaka","password":"p"}"#
        )
        #expect(answer.status == 200)
        #expect(try Answered(answer).object["acl"] == .object(JSONObject()))
    }

    @Test("a user as others see it has no field of the account but its name")
    func others() async throws {
        let world = try await World.serving()
        let list = try world.request("GET", "/users?where=%7B%22userName%22:%22unconfirmed%22%7D")
        let user = try #require(try Answered(list).results().first)
        #expect(
            Set(user.members.map(\.name.string)) == [
                "objectId", "createDate", "updateDate", "acl", "userName",
            ]
        )
        guard case .string(let id)? = user["objectId"] else { return #expect(Bool(false)) }
        let stranger = try world.request("GET", "/users/\(id)")
        #expect(stranger.status == 200)
        #expect(!stranger.text.contains("y@example.com"))
        let other = try world.request("GET", "/users/\(id)", session: "TOKEN")
        #expect(!other.text.contains("y@example.com"))
    }

    // MARK: What is refused

    @Test(
        "sign-ups are refused by name of what is wrong",
        arguments: [
            ("{}", 400, "E400003", "userName or password is empty."),
            (#"{"userName":"u"}"#, 400, "E400003", "userName or password is empty."),
            (#"{"password":"p"}"#, 400, "E400003", "userName or password is empty."),
            (#"{"userName":"","password":"p"}"#, 400, "E400003", "userName is empty."),
            (#"{"userName":"u","password":""}"#, 400, "E400003", "password is empty."),
            (#"{"userName":1,"password":"p"}"#, 400, "E400002", "userName is invalid."),
            (#"{"authData":{}}"#, 400, "E400002", "authData is invalid."),
            (#"{"authData":{"twitter":null}}"#, 400, "E400002", "authData is invalid."),
            (#"{"authData":{"anonymous":null}}"#, 400, "E400002", "authData is invalid."),
            (
                #"{"authData":{"__proto__":{"id":"x"}}}"#, 400, "E400005",
                "authData is not a valid value."
            ),
            (
                #"{"authData":{"facebook":{"id":"1","access_token":"x"}}}"#, 403, "E403005",
                "facebook must not be entered."
            ),
            (
                #"{"authData":{"anonymous":{"id":"x"},"apple":{"id":"1"}}}"#, 403, "E403005",
                "apple must not be entered."
            ),
            (#"{"userName":"yamada","password":"p"}"#, 409, "E409001", "userName is duplication."),
            (
                #"{"userName":"u","password":"p","mailAddress":"y@example.com"}"#, 409, "E409001",
                "mailAddress is duplication."
            ),
            (#"{"userName":"u","password":"p","a.b":1}"#, 400, "E400004", "a.b is invalid format."),
        ]
    )
    func refusedSignUps(body: String, status: Int, code: String, message: String) async throws {
        let world = try await World.serving()
        let answer = try world.request("POST", "/users", body: body)
        #expect(answer.status == status)
        let error = try Answered(answer)
        #expect(error.keys == ["code", "error"])
        #expect(try error.text("code") == code)
        #expect(try error.text("error") == message)
        let count = try world.request("GET", "/users?count=1&limit=0")
        #expect(count.text == #"{"count":3,"results":[]}"#)
    }

    @Test("anonymous sign-in can be switched off")
    func noAnonymous() async throws {
        var wishes = World.Wishes()
        wishes.settings.allowsAnonymous = false
        let world = try await World.serving(wishes)
        let answer = try world.request(
            "POST",
            "/users",
            body: #"{"authData":{"anonymous":{"id":"x"}}}"#
        )
        #expect(answer.status == 403)
        #expect(answer.text.contains("anonymous must not be entered."))
    }

    @Test("of fifty sign-ups with one name at once exactly one makes a user")
    func race() async throws {
        let world = try await World.serving()
        var clients: [TestHTTPClient] = []
        let body = Array(#"{"userName":"tanaka","password":"p"}"#.utf8)
        for _ in 0..<50 {
            let client = try TestHTTPClient(port: world.port)
            try client.send(
                "POST",
                "/2013-09-01/users",
                headers: [("X-NCMB-Application-Key", World.applicationKey)],
                body: body
            )
            clients.append(client)
        }
        let statuses = try clients.map { try $0.response().status }
        #expect(statuses.count { $0 == 201 } == 1)
        #expect(statuses.count { $0 == 409 } == 49)
    }

    @Test("the eleventh wrong password is told no more, and the right one neither")
    func limit() async throws {
        let world = try await World.serving()
        let wrong = #"{"userName":"yamada","password":"wrong"}"#
        for _ in 1...10 {
            let answer = try world.request("POST", "/login", body: wrong)
            #expect(answer.status == 401)
            #expect(answer.text.contains("E401002"))
        }
        for body in [wrong, #"{"userName":"yamada","password":"p@ss word"}"#] {
            let answer = try world.request("POST", "/login", body: body)
            #expect(answer.status == 429)
            #expect(answer.text == #"{"code":"E429002","error":"Too many requests."}"#)
        }
        let other = try world.request(
            "POST",
            "/login",
            body: #"{"userName":"nobody","password":"wrong"}"#
        )
        #expect(other.status == 401)
    }

    // MARK: Changes

    @Test("a new password ends the other sessions, the old password, and keeps the caller's")
    func passwordChange() async throws {
        let world = try await World.serving()
        let login = { (password: String) in
            try world.request(
                "POST",
                "/login",
                body: "{\"userName\":\"yamada\",\"password\":\"\(password)\"}"
            )
        }
        let first = try Answered(try login("p@ss word"))
        let second = try Answered(try login("p@ss word"))
        let path = "/users/\(try first.text("objectId"))"
        let change = try world.request(
            "PUT",
            path,
            session: first.text("sessionToken"),
            body: #"{"password":"new"}"#
        )
        #expect(change.status == 200)
        #expect(try Answered(change).keys == ["updateDate"])
        #expect(try world.request("GET", path, session: first.text("sessionToken")).status == 200)
        let ended = try world.request("GET", path, session: second.text("sessionToken"))
        #expect(ended.status == 401)
        #expect(try login("p@ss word").status == 401)
        #expect(try login("new").status == 200)
    }

    @Test("an anonymous user becomes a normal one by name and password")
    func grownUp() async throws {
        let world = try await World.serving()
        let change = try world.request(
            "PUT",
            "/users/USER000000000001",
            session: "TOKEN",
            body: #"{"userName":"tanaka","password":"p","mailAddress":"t@example.com"}"#
        )
        #expect(change.status == 200)
        let login = try Answered(
            world.request("POST", "/login", body: #"{"userName":"tanaka","password":"p"}"#)
        )
        #expect(try login.text("objectId") == "USER000000000001")
        #expect(try login.text("mailAddress") == "t@example.com")
        #expect(login.object["mailAddressConfirm"] == .bool(false))
    }

    @Test("what SDKs send back of a fetched user changes nothing and fails nothing")
    func leftovers() async throws {
        let world = try await World.serving()
        let before = try world.request("GET", "/users/USER000000000001", session: "TOKEN")
        var members = try Answered(before).object.members
        members.append(JSONObject.Member(name: "sessionToken", value: .string("stale")))
        members.append(JSONObject.Member(name: "temporaryPassword", value: .null))
        let body = String(
            decoding: JSONWriter.bytes(.object(JSONObject(members))),
            as: UTF8.self
        )
        let change = try world.request(
            "PUT",
            "/users/USER000000000001",
            session: "TOKEN",
            body: body
        )
        #expect(change.status == 200, "\(change.text)")
        let after = try world.request("GET", "/users/USER000000000001", session: "TOKEN")
        let without = { (answer: TestHTTPResponse) in
            try Answered(answer).object.members.filter { $0.name != "updateDate" }
        }
        #expect(try without(before) == without(after))
    }

    @Test(
        "another user's account can't be changed, whatever its ACL grants",
        arguments: [
            #"{"password":"mine"}"#, #"{"userName":"mine"}"#, #"{"mailAddress":"m@example.com"}"#,
            #"{"authData":{"anonymous":{"id":"mine"}}}"#, #"{"nick":"x"}"#,
        ]
    )
    func foreignAccount(body: String) async throws {
        let world = try await World.serving()
        let open = try world.request(
            "PUT",
            "/users/USER000000000001",
            session: "TOKEN",
            body: #"{"acl":{"*":{"read":true,"write":true}}}"#
        )
        #expect(open.status == 200)
        let other = try Answered(
            world.request("POST", "/users", body: #"{"userName":"other","password":"p"}"#)
        )
        let answer = try world.request(
            "PUT",
            "/users/USER000000000001",
            session: other.text("sessionToken"),
            body: body
        )
        // A user's own fields follow its ACL; the account is its owner's alone.
        #expect(answer.status == (body.contains("nick") ? 200 : 403))
        let missing = try world.request(
            "PUT",
            "/users/NOBODY",
            session: other.text("sessionToken"),
            body: body
        )
        #expect(missing.status == 404)
    }

    @Test("the account follows its user, whatever the ACL says; all other fields follow the ACL")
    func shutOutOwner() async throws {
        let world = try await World.serving()
        let user = try Answered(
            world.request("POST", "/users", body: #"{"userName":"tanaka","password":"p","acl":{}}"#)
        )
        let (path, token) = try ("/users/" + user.text("objectId"), user.text("sessionToken"))
        for body in [
            #"{"userName":"tanaka2"}"#, #"{"mailAddress":"t@example.com"}"#, #"{"password":"q"}"#,
        ] {
            let answer = try world.request("PUT", path, session: token, body: body)
            #expect(answer.status == 200, "\(body) \(answer.text)")
        }
        for body in [
            "{}", #"{"nick":"x"}"#, #"{"acl":{"*":{"read":true}}}"#,
            #"{"nick":"x","password":"r"}"#,
        ] {
            let answer = try world.request("PUT", path, session: token, body: body)
            #expect(answer.status == 403, "\(body) \(answer.text)")
        }
        let login = try world.request(
            "POST",
            "/login",
            body: #"{"userName":"tanaka2","password":"q"}"#
        )
        #expect(login.status == 200)
        #expect(try Answered(login).object["nick"] == nil)
    }

    @Test("with hideUnreadable an unreadable user is not there, for every method")
    func hidden() async throws {
        for hides in [true, false] {
            var wishes = World.Wishes()
            wishes.settings.hidesUnreadable = hides
            let world = try await World.serving(wishes)
            let secret = try Answered(
                world.request(
                    "POST",
                    "/users",
                    body: #"{"userName":"tanaka","password":"p","acl":{}}"#
                )
            ).text("objectId")
            for (method, body) in [
                ("GET", nil), ("PUT", "{}"), ("PUT", #"{"nick":1}"#), ("PUT", #"{"password":"x"}"#),
                ("DELETE", nil),
            ] as [(String, String?)] {
                for session in ["TOKEN", nil] {
                    let hidden = try world.request(
                        method,
                        "/users/\(secret)",
                        session: session,
                        body: body
                    )
                    let missing = try world.request(
                        method,
                        "/users/MISSING",
                        session: session,
                        body: body
                    )
                    #expect(missing.status == 404)
                    #expect(hidden.status == (hides ? 404 : 403), "\(method) \(body ?? "")")
                    #expect((hidden.text == missing.text) == hides)
                    // A user that may be read is there, and refused.
                    guard session == nil, method != "GET" else { continue }
                    let shown = try world.request(method, "/users/USER000000000001", body: body)
                    #expect(shown.status == 403)
                }
            }
        }
    }

    @Test("a deleted user's sessions and password are gone")
    func deleted() async throws {
        let world = try await World.serving()
        let user = try Answered(
            world.request("POST", "/users", body: #"{"userName":"tanaka","password":"p"}"#)
        )
        let path = "/users/\(try user.text("objectId"))"
        let deletion = try world.request("DELETE", path, session: user.text("sessionToken"))
        #expect(deletion.status == 200)
        #expect(deletion.body.isEmpty)
        #expect(try world.request("GET", path, session: user.text("sessionToken")).status == 401)
        #expect(try world.request("GET", path).status == 404)
        let login = try world.request(
            "POST",
            "/login",
            body: #"{"userName":"tanaka","password":"p"}"#
        )
        #expect(login.status == 401)
    }

    @Test("a logout ends its session alone")
    func logout() async throws {
        let world = try await World.serving()
        let answer = try world.request("GET", "/logout", session: "TOKEN")
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(try world.request("GET", "/logout", session: "TOKEN").status == 401)
        #expect(try world.request("GET", "/classes/Chat", session: "TOKEN").status == 401)
        #expect(try world.request("GET", "/classes/Chat", session: "TOKEN2").status == 200)
    }

    @Test("right and wrong guesses at a hidden field get one answer")
    func oracle() async throws {
        let world = try await World.serving()
        for query in [
            "where=%7B%22mailAddress%22:%22y@example.com%22%7D",
            "where=%7B%22mailAddress%22:%22wrong%22%7D",
            "where=%7B%22password%22:%7B%22$gt%22:%22$%22%7D%7D",
            "where=%7B%22authData.anonymous.id%22:%22world%22%7D", "order=mailAddress",
            "order=-authData.anonymous.id", "count=1&where=%7B%22sessionToken%22:null%7D",
        ] {
            let answer = try world.request("GET", "/users?\(query)", session: "TOKEN")
            #expect(answer.status == 400)
            #expect(answer.text.contains("E400005"))
        }
    }
}
