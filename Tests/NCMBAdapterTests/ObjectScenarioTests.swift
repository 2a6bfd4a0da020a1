import HatoTesting
import HatoWire
import ObjectModel
import SQLiteStorage
import Testing

@Suite("Objects over REST")
struct ObjectScenarioTests {
    @Test("an object is made, read, changed, listed and deleted")
    func life() async throws {
        let world = try await World.serving()
        let creation = try world.request(
            "POST",
            "/classes/Note",
            session: "TOKEN",
            body: #"{"title":"a/b 鳩","n":1.50,"objectId":"MINE","acl":null}"#
        )
        #expect(creation.status == 201)
        let created = try Answered(creation)
        #expect(created.keys == ["createDate", "objectId"])
        let id = try created.text("objectId")
        #expect(id != "MINE")
        #expect(id.utf8.count == 16)

        let reading = try world.request("GET", "/classes/Note/\(id)")
        let date = try created.text("createDate")
        #expect(
            reading.text
                == "{\"objectId\":\"\(id)\",\"createDate\":\"\(date)\",\"updateDate\":\"\(date)\","
                + #""acl":{"*":{"read":true,"write":true}},"title":"a\/b 鳩","n":1.50}"#
        )

        let change = try world.request(
            "PUT",
            "/classes/Note/\(id)",
            body: #"{"n":{"__op":"Increment","amount":2},"title":null}"#
        )
        #expect(change.status == 200)
        #expect(try Answered(change).keys == ["updateDate"])

        let list = try world.request("GET", "/classes/Note?count=1&where=%7B%22n%22:3.5%7D")
        #expect(list.status == 200)
        #expect(list.text.hasPrefix(#"{"count":1,"results":[{"objectId":""#))
        #expect(try Answered(list).results().first?["title"] == .null)

        let deletion = try world.request("DELETE", "/classes/Note/\(id)")
        #expect(deletion.status == 200)
        #expect(deletion.body.isEmpty)
        for method in ["GET", "DELETE"] {
            let gone = try world.request(method, "/classes/Note/\(id)")
            #expect(gone.status == 404)
            #expect(gone.text == #"{"code":"E404001","error":"No data available."}"#)
        }
    }

    @Test("what one user made with its ACL another one reads and can't write")
    func accessLists() async throws {
        let world = try await World.serving()
        let creation = try world.request(
            "POST",
            "/classes/Chat",
            session: "TOKEN",
            body:
                #"{"body":"hi","acl":{"*":{"read":true},"USER000000000001":{"read":true,"write":true}}}"#
        )
        let id = try Answered(creation).text("objectId")
        let other = try Answered(
            world.request("POST", "/users", body: #"{"userName":"other","password":"p"}"#)
        ).text("sessionToken")
        for session in [nil, other] {
            #expect(try world.request("GET", "/classes/Chat/\(id)", session: session).status == 200)
            for method in ["PUT", "DELETE"] {
                let body = method == "PUT" ? #"{"body":"mine"}"# : nil
                let answer = try world.request(
                    method,
                    "/classes/Chat/\(id)",
                    session: session,
                    body: body
                )
                #expect(answer.status == 403)
                #expect(answer.text == #"{"code":"E403001","error":"No access with ACL."}"#)
            }
        }
        let own = try world.request(
            "PUT",
            "/classes/Chat/\(id)",
            session: "TOKEN",
            body: #"{"acl":{}}"#
        )
        #expect(own.status == 200)
        // Nobody's object: hidden from lists and counts, forbidden by id.
        let reading = try world.request("GET", "/classes/Chat/\(id)", session: "TOKEN")
        #expect(reading.status == 403)
        let count = try world.request("GET", "/classes/Chat?limit=0&count=1", session: "TOKEN")
        #expect(count.text == #"{"count":2,"results":[]}"#)
    }

    @Test("with hideUnreadable an unreadable object is not there, for every method")
    func hidden() async throws {
        var wishes = World.Wishes()
        wishes.settings.hidesUnreadable = true
        let world = try await World.serving(wishes)
        let secret = try Answered(
            world.request("POST", "/classes/Chat", session: "TOKEN", body: #"{"acl":{}}"#)
        ).text("objectId")
        let readable = try Answered(
            world.request(
                "POST",
                "/classes/Chat",
                session: "TOKEN",
                body: #"{"acl":{"*":{"read":true}}}"#
            )
        ).text("objectId")
        for method in ["GET", "PUT", "DELETE"] {
            let body = method == "PUT" ? "{}" : nil
            let hidden = try world.request(method, "/classes/Chat/\(secret)", body: body)
            let missing = try world.request(method, "/classes/Chat/MISSING", body: body)
            #expect(hidden.status == 404)
            #expect(hidden.text == missing.text)
            let shown = try world.request(method, "/classes/Chat/\(readable)", body: body)
            #expect(shown.status == (method == "GET" ? 200 : 403))
        }
    }

    @Test("a class that was never written lists nothing")
    func unknownClass() async throws {
        let world = try await World.serving()
        let list = try world.request("GET", "/classes/Todo?limit=1")
        #expect(list.status == 200)
        #expect(list.text == #"{"results":[]}"#)
        #expect(try world.request("GET", "/classes/Todo/X").status == 404)
    }

    @Test("the newest comes first, and limit, skip and order shape the list")
    func lists() async throws {
        let world = try await World.serving()
        for n in 1...5 {
            let answer = try world.request("POST", "/classes/N", body: "{\"n\":\(n)}")
            #expect(answer.status == 201)
        }
        let numbers = { (query: String) in
            try Answered(world.request("GET", "/classes/N\(query)")).results().map { object in
                guard case .number(let number)? = object["n"] else { return "?" }
                return number.text.string
            }.joined()
        }
        #expect(try numbers("") == "54321")
        #expect(try numbers("?") == "54321")
        #expect(try numbers("/?order=n") == "12345")
        #expect(try numbers("?order=n&limit=2&skip=1") == "23")
        #expect(try numbers("?order=-n&where=%7B%22n%22:%7B%22$in%22:%5B1,3,9%5D%7D%7D") == "31")
        #expect(try numbers("?where=%7B%22n%22:%7B%22$in%22:%5B%5D%7D%7D").isEmpty)
        #expect(
            try numbers("?order=n&where=%7B%22n%22:%7B%22$gt%22:1,%22$lt%22:5,%22$ne%22:3%7D%7D")
                == "24"
        )
    }

    @Test("a list past its deadline is 503, and the next request is answered")
    func lateList() async throws {
        var wishes = World.Wishes()
        wishes.listDeadline = .zero
        let world = try await World.serving(wishes)
        let store = try world.applications.store(of: world.application)
        let className = try ClassName(dataStore: "N")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for n in 0..<1_500 {
                let change = FieldChange(name: "n", operation: .set(.number(JSONNumber(Int64(n)))))
                group.addTask {
                    _ = try await store.commit(
                        .create(className: className, changes: [change], acl: nil, by: .stranger)
                    )
                }
            }
            try await group.waitForAll()
        }
        let late = try world.request("GET", "/classes/N?where=%7B%22n%22:%7B%22$lt%22:-1%7D%7D")
        #expect(late.status == 503)
        #expect(late.text == #"{"code":"E503001","error":"Service unavailable."}"#)
        #expect(try world.request("GET", "/classes/N/0000000000000000").status == 404)
    }

    @Test(
        "damaged requests are refused with their code",
        arguments: [
            ("POST", "/classes/Chat", "", 400, "E400001"),
            ("POST", "/classes/Chat", "{", 400, "E400001"),
            ("POST", "/classes/Chat", "[]", 400, "E400001"),
            ("POST", "/classes/Chat", #"{"a":1,"a":2}"#, 400, "E400001"),
            ("POST", "/classes/Chat", #"{"_id":1}"#, 400, "E400004"),
            ("POST", "/classes/Chat", #"{"a":{"__type":"Unknown"}}"#, 400, "E400002"),
            ("POST", "/classes/Chat", #"{"a":{"__op":"Unknown"}}"#, 400, "E400002"),
            ("POST", "/classes/1x", "{}", 400, "E400004"),
            ("POST", "/classes/a-b", "{}", 400, "E400004"),
            ("POST", "/classes/_Join", "{}", 400, "E400004"),
            ("POST", "/classes/user", "{}", 403, "E403003"),
            ("GET", "/classes/user", nil, 403, "E403003"),
            ("GET", "/classes/role/X", nil, 403, "E403003"),
            ("PUT", "/classes/installation/X", "{}", 403, "E403003"),
            ("DELETE", "/classes/push/X", nil, 403, "E403003"),
            ("GET", "/classes/file", nil, 403, "E403003"),
            ("GET", "/classes/Chat/a-b", nil, 404, "E404001"),
            ("GET", "/classes/Chat?limit=1001", nil, 400, "E400005"),
            ("GET", "/classes/Chat?where=x", nil, 400, "E400001"),
            (
                "GET", "/classes/Chat?where=%7B%22n%22:%7B%22$regex%22:%22(%22%7D%7D", nil, 400,
                "$regex is"
            ),
            ("GET", "/unknown", nil, 404, "E404002"),
            ("GET", "/classes", nil, 404, "E404002"),
            ("GET", "/classes/Chat/X/Y", nil, 404, "E404002"),
            ("PATCH", "/classes/Chat", nil, 405, "E405001"),
            ("DELETE", "/login", nil, 405, "E405001"),
        ] as [(String, String, String?, Int, String)]
    )
    func damaged(
        method: String,
        path: String,
        body: String?,
        status: Int,
        code: String
    ) async throws {
        let world = try await World.serving()
        let answer = try world.request(method, path, body: body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.text.contains(code), "\(answer.text)")
        #expect(try Answered(answer).keys == ["code", "error"])
        if status == 405 { #expect(answer["Allow"]?.isEmpty == false) }
    }

    @Test("a body is refused by what it is too large for: a document, or any request")
    func bodyLimits() async throws {
        let world = try await World.serving()
        let send = { (body: String) in
            try world.request("POST", "/classes/Chat", body: body)
        }
        // The longest document: {"a":"…"}, each third byte of its text one character of three bytes.
        let count = 1_048_576 - 8
        let characters = count / 3
        let rest = String(repeating: "x", count: count % 3)
        let escaped = String(repeating: "\\u3042", count: characters)
        #expect(try send(#"{"a":"\#(escaped)\#(rest)"}"#).status == 201)
        let document = try send(#"{"a":"\#(escaped)\#(rest)x"}"#)
        #expect(document.status == 413)
        #expect(document.text == #"{"code":"E413002","error":"Document size Limit error."}"#)

        // Blanks, so that it is the body's length alone that is too much.
        let padded = { (length: Int) in
            #"{"a":1"# + String(repeating: " ", count: length - 7) + "}"
        }
        #expect(try send(padded(4_194_304)).status == 201)
        for length in [4_194_305, 10_485_760] {
            let answer = try send(padded(length))
            #expect(answer.status == 413)
            #expect(answer.text == document.text)
        }
        let body = try send(padded(10_485_761))
        #expect(body.status == 413)
        #expect(body.text == #"{"code":"E413001","error":"File size Limit error."}"#)
    }

    @Test("limits of documents and queries are the server's to set")
    func settableLimits() async throws {
        var wishes = World.Wishes()
        wishes.documents = DocumentLimits(
            fieldCount: 2,
            depth: 3,
            bodyBytes: 100,
            aclEntries: 1
        )
        wishes.queries = QueryLimits(objectCount: 2, operatorCount: 1)
        let world = try await World.serving(wishes)
        for (body, status, code) in [
            (#"{"a":1,"b":[[1]],"acl":{"*":{"read":true}}}"#, 201, ""),
            (#"{"a":1,"b":1,"c":1}"#, 413, "E413002"), (#"{"a":[[[1]]]}"#, 400, "E400001"),
            (#"{"acl":{"*":{"read":true},"u":{"read":true}}}"#, 400, "E400005"),
            (#"{"a":1"# + String(repeating: " ", count: 94) + "}", 413, "E413002"),
        ] {
            for (method, path) in [("POST", "/classes/Todo"), ("PUT", "/classes/Chat/OBJ1")] {
                let answer = try world.request(method, path, session: "TOKEN", body: body)
                let success = method == "POST" ? 201 : 200
                #expect(answer.status == (status == 201 ? success : status), "\(method) \(body)")
                #expect(answer.text.contains(code))
            }
            let user = try world.request(
                "PUT",
                "/users/USER000000000001",
                session: "TOKEN",
                body: body
            )
            #expect(user.status == (status == 201 ? 200 : status), "\(body)")
        }
        #expect(try world.request("GET", "/classes/Todo?limit=2").status == 200)
        #expect(try world.request("GET", "/classes/Todo?limit=3").text.contains("E400005"))
        let filter = "where=%7B%22a%22:1,%22b%22:1%7D"
        #expect(try world.request("GET", "/classes/Todo?\(filter)").text.contains("E400005"))
    }

    @Test("other media types are refused")
    func mediaTypes() async throws {
        let world = try await World.serving()
        let answer = try world.request(
            "POST",
            "/classes/Chat",
            headers: [("Content-Type", "text/plain")],
            body: "{}"
        )
        #expect(answer.status == 415)
        #expect(answer.text.contains("E415001"))
    }

    @Test("HEAD answers a GET's head")
    func head() async throws {
        let world = try await World.serving()
        let client = try TestHTTPClient(port: world.port)
        let answer = try client.request(
            "HEAD",
            "/2013-09-01/classes/Chat/OBJ1",
            headers: [("X-NCMB-Application-Key", World.applicationKey)]
        )
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
    }

    @Test("requireSignature refuses unsigned requests, and timestampWindow old ones")
    func settings() async throws {
        var wishes = World.Wishes()
        wishes.settings.requiresSignature = true
        var world = try await World.serving(wishes)
        #expect(try world.request("GET", "/classes/Chat").status == 401)
        let call = CredentialTests.Call(
            method: "GET",
            path: "/classes/Chat",
            pattern: "",
            asStranger: 200,
            asUser: 200
        )
        let signature =
            CredentialTests.signature(call, clientKey: World.clientKey) + [("Host", "hato.example")]
        let signed = { (world: World) in
            var text = "GET /2013-09-01/classes/Chat HTTP/1.1\r\n"
            for (name, value) in signature { text += "\(name): \(value)\r\n" }
            text += "X-NCMB-Application-Key: \(World.applicationKey)\r\n\r\n"
            return try world.answer(to: Array(text.utf8)).status
        }
        #expect(try signed(world) == 200)
        wishes.settings.timestampWindowSeconds = 60
        world = try await World.serving(wishes)
        #expect(try signed(world) == 401)
        // In force for the next request, without a restart.
        wishes.settings.timestampWindowSeconds = nil
        wishes.settings.requiresSignature = false
        try world.applications.set(wishes.settings, forApplicationNamed: "test")
        #expect(try signed(world) == 200)
        #expect(try world.request("GET", "/classes/Chat").status == 200)
    }

    @Test("two loops answer alike: a write on one is read on the other")
    func loops() async throws {
        var wishes = World.Wishes()
        wishes.loopCount = 2
        let world = try await World.serving(wishes)
        for n in 0..<20 {
            let id = try Answered(
                world.request("POST", "/classes/N", session: "TOKEN", body: "{\"n\":\(n)}")
            ).text("objectId")
            #expect(try world.request("GET", "/classes/N/\(id)").status == 200)
        }
    }
}
