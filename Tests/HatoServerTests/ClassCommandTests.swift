import Foundation
import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import HatoServer

/// Commands about classes, through the socket of a running server.
@Suite("Commands about classes")
struct ClassCommandTests {
    private let server: RunningServer
    private let data: String

    init() throws {
        server = try RunningServer()
        data = server.folder.path(of: "data")
    }

    /// Sends a command; the server needs the threads that a waiting test would hold.
    private func hato(_ words: String...) async throws -> CommandResult {
        try await hato(words)
    }

    private func hato(_ words: [String]) async throws -> CommandResult {
        let data = data
        let result = try await onThread {
            ControlClient.send(words, folder: data, answerTimeout: .seconds(30))
        }
        return try #require(result)
    }

    private func create(_ bodies: String...) async throws {
        for body in bodies { try await post("/classes/Chat", body) }
    }

    private func post(_ path: String, _ body: String) async throws {
        let (port, key) = (server.port, server.applicationKey)
        let status = try await onThread {
            try APIClient(port: port, applicationKey: key, session: nil)
                .send("POST", path, body).status
        }
        #expect(status == 201)
    }

    private func shown() async throws -> [String: Any] {
        let text = try await hato("class", "show", "Chat", "--json").text
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(json as? [String: Any])
    }

    /// Waits until every index of Chat is built.
    private func untilBuilt() async throws {
        let deadline = Deadline()
        while try await hato("class", "show", "Chat").text.contains("building") {
            try #require(!deadline.hasPassed)
        }
    }

    @Test("show a class as a table")
    func showsTable() async throws {
        try await create(#"{"room":"a","n":1}"#, #"{"room":"b","n":"two"}"#, #"{"room":"c"}"#)
        _ = try await hato("class", "set", "Chat", "--relay", "events", "--index", "room", "n")
        try await untilBuilt()
        let shown = try await hato("class", "show", "Chat").text
        #expect(
            shown
                == """
                Chat
                  objects   3
                  size      52 B
                  settings  relay events, default-acl public

                Fields
                  room  3  String
                  n     2  String 1, Number 1

                Indexes
                  n     declared  ready  3 keys  64 B  not used yet
                  room  declared  ready  3 keys  60 B  not used yet

                Filters that had to look at many objects, since the store was opened
                  none

                """
        )
    }

    @Test("show a class as JSON")
    func showsJSON() async throws {
        try await create(#"{"room":"a","n":1}"#, #"{"room":null}"#)
        _ = try await hato("class", "set", "Chat", "--index", "room")
        try await untilBuilt()
        let shown = try await shown()
        #expect(shown["name"] as? String == "Chat")
        #expect(shown["objects"] as? Int == 2)
        #expect(shown["documentBytes"] as? Int == 31)
        #expect(shown["relay"] as? String == "flat")
        #expect(shown["defaultACL"] as? String == "public")
        #expect(shown["sampled"] as? Bool == false)
        let fields = try #require(shown["fields"] as? [[String: Any]])
        #expect(fields.map { $0["name"] as? String } == ["room", "n"])
        #expect(fields[0]["count"] as? Int == 2)
        #expect(fields[0]["types"] as? [String: Int] == ["String": 1, "Null": 1])
        let index = try #require((shown["indexes"] as? [[String: Any]])?.first)
        #expect(index["field"] as? String == "room")
        #expect(index["declared"] as? Bool == true)
        #expect(index["state"] as? String == "ready")
        #expect(index["keys"] as? Int == 2)
        #expect((shown["slowFilters"] as? [Any])?.isEmpty == true)
    }

    @Test("refuse a class that is not there, and say which are")
    func unknown() async throws {
        let first = try await hato("class", "show", "Caht")
        #expect(
            first
                == .failure(
                    "there is no class \"Caht\", and no other yet: the first object makes one"
                )
        )
        try await create("{}")
        _ = try await hato("class", "set", "News")
        for name in ["Caht", "no name"] {
            let answer = try await hato("class", "show", name)
            #expect(answer == .failure("there is no class \"\(name)\"; there are Chat, News"))
        }
    }

    @Test("list the classes with the number of their objects, those of users too")
    func lists() async throws {
        #expect(
            try await hato("class", "list")
                == .success(
                    "There is no class yet: the first object makes one.\n"
                )
        )
        try await create("{}", "{}")
        let account = #"{"userName":"ann","password":"x"}"#
        try await post("/users", account)
        #expect(try await hato("class", "list") == .success("Chat  2\nuser  1\n"))
        #expect(
            try await hato("class", "list", "--json")
                == .success(
                    #"[{"name":"Chat","objects":2,"failedIndexes":[]},"#
                        + #"{"name":"user","objects":1,"failedIndexes":[]}]"# + "\n"
                )
        )
    }

    @Test("declare indexes and take them back, in force when they return")
    func indexes() async throws {
        try await create(#"{"room":"a"}"#)
        let set = try await hato("class", "set", "Chat", "--index", "room", "n", "--index", "a.b")
        #expect(
            set
                == .success(
                    "Chat: an index on room, n, a.b, built while the server goes on; "
                        + "hato class show Chat tells how far it is\n"
                )
        )
        let fields = try await (shown()["indexes"] as? [[String: Any]])?.map {
            $0["field"] as? String
        }
        #expect(fields == ["a.b", "n", "room"])
        let removed = try await hato(
            "class",
            "set",
            "Chat",
            "--no-index",
            "n",
            "room",
            "--relay",
            "off"
        )
        #expect(
            removed
                == .success(
                    "Chat: relay off, default-acl public\nChat: no index on n, room any more\n"
                )
        )
        #expect(try await (shown()["indexes"] as? [Any])?.count == 1)
        let again = try await hato("class", "set", "Chat", "--no-index", "n")
        #expect(again == .failure("Chat has no index on n"))
    }

    @Test(
        "refuse an index that helps nobody, and change nothing then",
        arguments: [
            ("createDate", "createDate needs no index: the store always has one"),
            ("acl", "\"acl\" is no field that could have an index"),
            ("a..b", "\"a..b\" is no field that could have an index"),
        ]
    )
    func refusedIndexes(field: String, message: String) async throws {
        try await create("{}")
        let set = try await hato("class", "set", "Chat", "--relay", "off", "--index", field)
        #expect(set == .failure(message))
        #expect(try await shown()["relay"] as? String == "flat")
    }

    @Test("refuse more indexes than a class may have")
    func tooManyIndexes() async throws {
        let fields = (0..<33).map { "f\($0)" }
        let words = ["class", "set", "Chat", "--index"] + fields
        let answer = try await hato(words)
        #expect(answer == .failure("Chat has as many indexes as a class may have"))
        #expect(try await hato(words.dropLast()).exitCode == 0)
    }

    @Test("tell a field that is called as something else in a message from what that is")
    func misleadingFields() async throws {
        let fields = (0..<32).map { "f\($0)" }
        _ = try await hato(["class", "set", "Chat", "--index"] + fields)
        for field in ["index", "className"] {
            #expect(
                try await hato("class", "set", "Chat", "--index", field)
                    == .failure("Chat has as many indexes as a class may have")
            )
        }
        _ = try await hato("class", "set", "Chat", "--no-index", "f0", "f1")
        let answer = try await hato("class", "set", "Chat", "--index", "index", "className")
        #expect(answer.exitCode == 0)
    }

    @Test(
        "refuse an index of what is kept apart from the users' other fields",
        arguments: [
            "password", "mailAddress", "mailAddressConfirm", "authData", "authData.twitter",
            "sessionToken", "temporaryPassword",
        ]
    )
    func hiddenFields(field: String) async throws {
        #expect(
            try await hato("class", "set", "user", "--index", field)
                == .failure(
                    "\(field) is kept apart from the other fields of a user, where no list can ask for it: "
                        + "an index would help nobody"
                )
        )
        #expect(try await hato("class", "set", "Chat", "--index", field).exitCode == 0)
    }

    @Test("tell which index could not be built, and which object is the cause")
    func failedIndex() async throws {
        let elements = (0...1_000).map { "\($0)" }.joined(separator: ",")
        try await create(#"{"tags":[\#(elements)]}"#)
        _ = try await hato("class", "set", "Chat", "--index", "tags")
        try await untilBuilt()
        let index = try #require((try await shown()["indexes"] as? [[String: Any]])?.first)
        #expect(index["state"] as? String == "failed")
        #expect(index["reason"] as? String == "longArray")
        let id = try #require(index["objectId"] as? String)
        let text = try await hato("class", "show", "Chat").text
        #expect(text.contains("  tags  declared  failed  0 keys  0 B\n"))
        #expect(
            text.contains(
                "  tags: object \(id) has an array there of more than 1000 elements; "
                    + "shorten it, then declare the index again\n"
            )
        )
        #expect(try await hato("class", "list").text == "Chat  1  index on tags failed\n")
        let list = try await hato("class", "list", "--json").text
        #expect(list.contains(#""failedIndexes":["tags"]"#))
        #expect(try await hato("class", "set", "Chat", "--no-index", "tags").exitCode == 0)
        #expect(try await hato("class", "list").text == "Chat  1\n")
    }

    @Test("give users indexes, and no settings")
    func users() async throws {
        #expect(try await hato("class", "set", "user", "--index", "team").exitCode == 0)
        #expect(try await hato("class", "show", "user").text.contains("team  declared"))
        #expect(
            try await hato("class", "set", "user", "--relay", "off")
                == .failure("\"user\" is a built-in class and takes no settings")
        )
    }

    @Test("turn self-made indexes off and on, and show it")
    func automaticIndexes() async throws {
        #expect(try await hato("app", "list").text.contains("auto-index on,"))
        #expect(
            try await hato("app", "set", "--auto-index", "off").text.contains("auto-index off,")
        )
        #expect(try await hato("app", "list", "--json").text.contains(#""autoIndex":false"#))
        #expect(
            try await hato("app", "set", "--auto-index", "on").text.contains("auto-index on,")
        )
        #expect(try await hato("app", "list", "--json").text.contains(#""autoIndex":true"#))
    }

    @Test("set what a relay key may do, and take it back")
    func relaySettings() async throws {
        let set = try await hato(
            "app",
            "set",
            "--relay-auth",
            "all",
            "--relay-connections",
            "1",
            "--relay-channels",
            "2",
            "--relay-messages",
            "3"
        )
        #expect(
            set.text.contains(
                "relay-auth all, relay-connections 1, relay-channels 2, relay-messages 3,"
            )
        )
        #expect(
            try await hato("app", "list", "--json").text.contains(
                #""relayAuth":"all","relayConnections":1,"relayChannels":2,"relayMessages":3"#
            )
        )
        let off = try await hato(
            "app",
            "set",
            "--relay-auth",
            "private",
            "--relay-connections",
            "0"
        )
        #expect(off.text.contains("relay-auth private, relay-connections off, relay-channels 2,"))
    }

    @Test("check every application, or one, and fail when anything is wrong")
    func checks() async throws {
        try await create(#"{"acl":{"*":{"read":true}}}"#, #"{"acl":{"u1":{"read":true}}}"#)
        _ = try await hato("app", "create", "second")
        #expect(
            try await hato("check")
                == .success("default: nothing is wrong\nsecond: nothing is wrong\n")
        )
        #expect(
            try await hato("check", "--app", "second") == .success("second: nothing is wrong\n")
        )
        #expect(
            try await hato("check", "--app", "third")
                == .failure("there is no application \"third\"; hato app list shows them")
        )
    }
}

@Suite("Texts about classes")
struct ClassTextTests {
    @Test(
        "tell sizes with one decimal",
        arguments: [
            (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KB"), (1_536, "1.5 KB"),
            (1_048_575, "1023.9 KB"), (1_048_576, "1.0 MB"), (1_288_490_188, "1.1 GB"),
            (5 << 40, "5.0 TB"), (5 << 50, "5120.0 TB"), (.max, "8388607.9 TB"),
        ]
    )
    func sizes(bytes: Int, text: String) {
        #expect(ClassText.size(bytes) == text)
    }

    @Test("tell a building index, a sample and slow filters")
    func report() {
        let report = ClassReport(
            objectCount: 100_000,
            settings: ClassSettings(),
            documentBytes: 20_480_000,
            isSampled: true,
            indexes: [
                ClassReport.Index(
                    path: "n",
                    isDeclared: false,
                    state: .building(done: 7, total: 100_000),
                    keyCount: 7,
                    byteCount: 170
                )
            ],
            slowFilters: [
                ClassReport.SlowFilter(
                    shape: "room = ?",
                    count: 3,
                    duration: .milliseconds(41),
                    examinedRows: 300_000
                )
            ]
        )
        #expect(
            ClassText.lines("Chat", report) == """
                Chat
                  objects   100000
                  size      about 19.5 MB
                  settings  relay flat, default-acl public

                Fields of the newest objects
                  none

                Indexes
                  n  self-made  building, 7 of 100000  7 keys  170 B  not used yet

                Filters that had to look at many objects, since the store was opened
                  3 lists  41 ms  300000 looked at  room = ?

                """
        )
        let json = ClassText.json("Chat", report)
        #expect(json.contains(#""state":"building","done":7,"total":100000,"keys":7"#))
        #expect(
            json.contains(
                #""slowFilters":[{"filter":"room = ?","lists":3,"milliseconds":41,"examinedObjects":300000}]"#
            )
        )
    }
}
