import Testing

@testable import HatoServer

@Suite("AdminCommand")
struct AdminCommandTests {
    @Test("parts the words that say where from the command's own")
    func split() throws {
        let (own, location) = try AdminWords.split(
            ["class", "set", "Chat", "--data", "/d", "--relay=off", "--config=c.json"]
        )
        #expect(own == ["class", "set", "Chat", "--relay=off"])
        #expect(location["--data"] == "/d")
        #expect(location["--config"] == "c.json")
    }

    @Test("knows no other words")
    func unknown() throws {
        #expect(try AdminCommand.parse(["app", "destroy"]) == nil)
        #expect(try AdminCommand.parse(["class"]) == nil)
    }

    @Test(
        "refuses wrong usage with a sentence",
        arguments: [
            (
                ["app", "create"],
                "usage: hato app create NAME [--application-key K] [--client-key K] …"
            ),
            (["app", "list", "x"], "usage: hato app list [--json]"),
            (["app", "set", "--anonymous", "maybe"], "--anonymous is on or off"),
            (["class", "set", "Chat", "--relay", "loud"], "--relay is off or flat or events"),
            (["class", "set", "Chat", "--default-acl", "x"], "--default-acl is public or owner"),
            (["app", "set", "--auto-index", "1"], "--auto-index is on or off"),
            (["app", "set", "--relay-auth", "on"], "--relay-auth is all or private"),
            (
                ["app", "set", "--relay-messages", "1000001"],
                "--relay-messages is a number from 0 to 1000000"
            ),
            (["class", "list", "x"], "usage: hato class list [--json]"),
            (["class", "show"], "usage: hato class show CLASS [--json]"),
            (["check", "x"], "usage: hato check [--app NAME]"),
            (
                ["class", "set", "Chat", "--index", "a", "b", "--no-index", "b"],
                "b is named by --index and by --no-index"
            ),
            (
                ["class", "set", "--index", "a", "Chat"],
                """
                usage: hato class set CLASS [--relay off|flat|events] \
                [--default-acl public|owner] [--index FIELD …] [--no-index FIELD …]
                """
            ),
            (
                ["app", "set", "--session-lifetime", "59"],
                "--session-lifetime is a number from 60 to 31536000"
            ),
        ]
    )
    func usage(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try AdminCommand.parse(words) }
    }
}
