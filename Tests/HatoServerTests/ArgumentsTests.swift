import Testing

@testable import HatoServer

@Suite("Arguments")
struct ArgumentsTests {
    static let options: [Option] = [.value("--listen"), .flag("--json")]

    @Test("parts options from positional words, in either form")
    func parts() throws {
        let arguments = try Arguments(
            ["create", "--listen=a:1", "chat", "--json"],
            options: Self.options
        )
        #expect(arguments.positional == ["create", "chat"])
        #expect(arguments["--listen"] == "a:1")
        #expect(arguments.has("--json"))
        #expect(try Arguments(["--listen", "b:2"], options: Self.options)["--listen"] == "b:2")
    }

    @Test("takes everything after -- as it is")
    func doubleDash() throws {
        let arguments = try Arguments(["--", "--json", "--"], options: Self.options)
        #expect(arguments.positional == ["--json", "--"])
        #expect(!arguments.has("--json"))
    }

    @Test(
        "refuses what does not fit, and says what",
        arguments: [
            (["--lisen", "x"], "unknown option --lisen"),
            (["--listen"], "--listen needs a value"),
            (["--json=1"], "--json takes no value"),
            (["--json", "--json"], "--json is given twice"),
        ]
    )
    func refuses(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try Arguments(words, options: Self.options) }
    }

    @Test("takes several values up to the next option, again and again")
    func words() throws {
        let options: [Option] = [.words("--index"), .flag("--json")]
        let arguments = try Arguments(
            ["Chat", "--index", "a", "b.c", "--json", "--index=-d"],
            options: options
        )
        #expect(arguments.positional == ["Chat"])
        #expect(arguments.words("--index") == ["a", "b.c", "-d"])
        #expect(arguments.has("--json"))
        #expect(try Arguments([], options: options).words("--index") == [])
        for words in [["--index"], ["--index", "--json"]] {
            #expect(throws: UsageError("--index needs a value")) {
                try Arguments(words, options: options)
            }
        }
    }

    @Test("reads on, off and numbers, and refuses the rest")
    func typed() throws {
        let options: [Option] = [.value("--a"), .value("--n")]
        let arguments = try Arguments(["--a", "on", "--n", "60"], options: options)
        #expect(try arguments.onOff("--a") == true)
        #expect(try arguments.integer("--n", in: 60...61) == 60)
        #expect(throws: UsageError("--n is a number from 61 to 70")) {
            try arguments.integer("--n", in: 61...70)
        }
        #expect(throws: UsageError("--a is on or off")) {
            try Arguments(["--a", "yes"], options: options).onOff("--a")
        }
    }
}
