import Testing

@testable import HatoServer

@Suite("EffectiveConfiguration")
struct EffectiveConfigurationTests {
    static func make(
        file: String? = nil,
        environment: [(name: String, value: String)] = [],
        flags: [String] = []
    ) throws -> EffectiveConfiguration {
        let options = SettingTable.all.map { Option.value($0.flag) }
        return try EffectiveConfiguration(
            file: file.map { (name: "hato.json", bytes: Array($0.utf8)) },
            environment: environment,
            flags: Arguments(flags, options: options)
        )
    }

    @Test("lets flags win over the environment, that over the file, that over the defaults")
    func precedence() throws {
        let file = #"{"listen":"127.0.0.1:1","bodyBytes":2048,"idle-seconds":"9"}"#
        let configuration = try Self.make(
            file: file,
            environment: [
                ("HATO_LISTEN", "127.0.0.1:2"), ("HATO_BODY_BYTES", "4096"), ("PATH", "/bin"),
                ("HATO_PORT_8080_TCP", "tcp://10.0.0.1:8080"), ("HATO_SERVICE_HOST", "10.0.0.1"),
            ],
            flags: ["--listen", "[::1]:3"]
        )
        #expect(configuration["listen"] == .init(value: "[::1]:3", source: "--listen"))
        #expect(configuration["body-bytes"] == .init(value: "4096", source: "HATO_BODY_BYTES"))
        #expect(configuration["idle-seconds"] == .init(value: "9", source: "hato.json"))
        #expect(configuration["data"] == .init(value: "data", source: "default"))
        #expect(configuration.integer("body-bytes") == 4_096)
    }

    @Test(
        "refuses a setting that does not exist or does not fit, and names it and its source",
        arguments: [
            (
                #"{"lisen":"x"}"#, [],
                "hato.json: there is no setting \"lisen\"; hato config lists them"
            ),
            (#"{"listen":true}"#, [], "hato.json: \"listen\" must be a string or a number"),
            (
                "[]", [],
                "hato.json must hold one JSON object, such as {\"listen\":\"0.0.0.0:8080\"}"
            ),
            ("{}", [("HATO_LISTN", "x")], "HATO_LISTN is no setting; hato config lists them"),
            (
                "{}", [("HATO_LISTEN", "here")],
                "HATO_LISTEN: listen must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, or - for none"
            ),
            ("{", [], "hato.json is not JSON: unexpectedEnd at byte 1"),
            ("{}", [("HATO_LOG", "loud")], "HATO_LOG: log must be one of text, json, off"),
            (
                "{}", [("HATO_BODY_BYTES", "1023")],
                "HATO_BODY_BYTES: body-bytes must be a number from 1024 to 1073741824"
            ),
        ] as [(String, [(name: String, value: String)], String)]
    )
    func refuses(file: String, environment: [(name: String, value: String)], message: String) {
        #expect(throws: ConfigurationError(message)) {
            try Self.make(file: file, environment: environment)
        }
    }

    @Test("gives every setting a default that fits its own rule, and three names of its own")
    func table() {
        var names: Set<String> = []
        for definition in SettingTable.all {
            #expect(definition.complaint(about: definition.standard) == nil, "\(definition.name)")
            #expect(!definition.help.isEmpty)
            for name in [definition.flag, definition.variable, definition.member] {
                #expect(names.insert(name).inserted, "\(name) is taken twice")
            }
        }
        #expect(
            SettingTable.definition(named: "relay-message-bytes")?.member == "relayMessageBytes"
        )
        #expect(
            SettingTable.definition(named: "relay-message-bytes")?.variable
                == "HATO_RELAY_MESSAGE_BYTES"
        )
    }

    @Test("prints every setting with its value and source")
    func description() throws {
        let lines = try Self.make(flags: ["--loops", "3"]).description.split(separator: "\n")
        #expect(lines.count == SettingTable.all.count)
        #expect(lines.contains { $0.hasPrefix("loops ") && $0.hasSuffix("= 3  (--loops)") })
    }
}
