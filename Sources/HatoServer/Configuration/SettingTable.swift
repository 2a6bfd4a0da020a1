/// Every setting and every limit of the server, in one table (rulings 8).
///
/// The rooms below take their limits as plain values at construction; nothing else in the house
/// decides how much is too much.
package enum SettingTable {
    package static let all: [SettingDefinition] =
        places + requests + sockets + storage + work + logging

    package static func definition(named name: String) -> SettingDefinition? {
        all.first { $0.name == name }
    }

    static let places: [SettingDefinition] = [
        SettingDefinition(
            "data",
            .text,
            "data",
            "folder that holds everything; made when it is missing"
        ),
        SettingDefinition(
            "listen",
            .text,
            "127.0.0.1:8080",
            "HOST:PORT to serve HTTP and WebSocket on"
        ),
        SettingDefinition(
            "public-url",
            .text,
            "-",
            "how clients reach the server; - is the listen address"
        ),
        SettingDefinition("loops", .integer(0...64), "0", "event loops; 0 is one a core"),
    ]

    static let requests: [SettingDefinition] = [
        SettingDefinition(
            "request-line-bytes",
            .integer(1_024...1_048_576),
            "65536",
            "longest request line"
        ),
        SettingDefinition(
            "header-count",
            .integer(16...1_000),
            "100",
            "most header fields of a request"
        ),
        SettingDefinition(
            "header-bytes",
            .integer(1_024...1_048_576),
            "65536",
            "largest header block"
        ),
        SettingDefinition(
            "body-bytes",
            .integer(1_024...1_073_741_824),
            "10485760",
            "largest request body"
        ),
        SettingDefinition("head-seconds", .integer(1...600), "10", "time for a request's head"),
        SettingDefinition(
            "body-seconds",
            .integer(1...3_600),
            "30",
            "time for a request's body, in all"
        ),
        SettingDefinition(
            "idle-seconds",
            .integer(1...3_600),
            "75",
            "how long an idle connection is kept"
        ),
        SettingDefinition(
            "stalled-write-seconds",
            .integer(1...3_600),
            "30",
            "how long an unread answer is kept"
        ),
        SettingDefinition(
            "shutdown-milliseconds",
            .integer(0...60_000),
            "800",
            "time for requests in flight at a stop"
        ),
    ]

    static let sockets: [SettingDefinition] = [
        SettingDefinition(
            "outbox-bytes",
            .integer(65_536...1_073_741_824),
            "4194304",
            "unsent bytes a connection"
        ),
        SettingDefinition(
            "outbox-frames",
            .integer(16...1_000_000),
            "1000",
            "unsent frames a connection"
        ),
        SettingDefinition(
            "relay-message-bytes",
            .integer(1_024...67_108_864),
            "1048576",
            "largest relay message"
        ),
        SettingDefinition(
            "ping-seconds",
            .integer(1...600),
            "25",
            "WebSocket ping; two missed and it is dropped"
        ),
        SettingDefinition(
            "channel-count",
            .integer(1...10_000_000),
            "100000",
            "channels with members at a time"
        ),
    ]

    static let storage: [SettingDefinition] = [
        SettingDefinition(
            "writer-queue",
            .integer(1...1_000_000),
            "10000",
            "writes that wait for a commit"
        ),
        SettingDefinition(
            "list-threads",
            .integer(1...64),
            "2",
            "threads that answer list queries"
        ),
        SettingDefinition("list-queue", .integer(1...1_000_000), "1000", "list queries that wait"),
        SettingDefinition("list-seconds", .integer(1...600), "10", "time for a list query"),
        SettingDefinition(
            "list-answer-bytes",
            .integer(65_536...1_073_741_824),
            "33554432",
            "largest list answer"
        ),
        SettingDefinition(
            "open-applications",
            .integer(1...1_000),
            "64",
            "applications open at a time"
        ),
        SettingDefinition(
            "change-log-rows",
            .integer(1_000...100_000_000),
            "100000",
            "changes kept for clients that return"
        ),
        SettingDefinition(
            "change-log-hours",
            .integer(1...8_760),
            "24",
            "how long changes are kept"
        ),
    ]

    static let work: [SettingDefinition] = [
        SettingDefinition(
            "hash-threads",
            .integer(1...64),
            "1",
            "threads that hash passwords, 19 MiB each"
        ),
        SettingDefinition(
            "hash-queue",
            .integer(1...100_000),
            "200",
            "logins that wait for a hash"
        ),
    ]

    static let logging: [SettingDefinition] = [
        SettingDefinition(
            "log",
            .choice(["text", "json", "off"]),
            "text",
            "form of the log on standard error"
        )
    ]
}
