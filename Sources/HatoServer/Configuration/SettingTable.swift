/// Every setting of the server, in one table.
///
/// The limits come from `LimitSetting.all`; the rest says where things are.
package enum SettingTable {
    package static let all: [SettingDefinition] = places + LimitSetting.all.map(\.definition)

    package static func definition(named name: String) -> SettingDefinition? {
        all.first { $0.name == name }
    }

    private static let places: [SettingDefinition] = [
        SettingDefinition("data", .text, "data", "folder that holds everything"),
        SettingDefinition(
            "listen",
            .address,
            "127.0.0.1:8080",
            "HOST:PORT of HTTP and WebSocket; - for none"
        ),
        SettingDefinition("tls-listen", .address, "-", "HOST:PORT of the same by TLS; - for none"),
        SettingDefinition(
            "tls-certificate",
            .text,
            "-",
            "file of the certificate and its chain, in PEM; read anew when it changes"
        ),
        SettingDefinition("tls-key", .text, "-", "file of the certificate's key, in PEM"),
        SettingDefinition(
            "public-url",
            .text,
            "-",
            "how clients reach it; - is the listen address"
        ),
        SettingDefinition(
            "gzip",
            .choice(["on", "off"]),
            "on",
            "gzip for long answers to requests without a session"
        ),
        SettingDefinition(
            "relay-compression",
            .choice(["on", "off"]),
            "off",
            "permessage-deflate on /v3"
        ),
        SettingDefinition(
            "page",
            .choice(["on", "off"]),
            "on",
            "the page at /: the chat of the application marked as demo"
        ),
        SettingDefinition(
            "log",
            .choice(["text", "json", "off"]),
            "text",
            "log on standard error"
        ),
    ]
}
