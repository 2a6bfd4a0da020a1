import Backend
import EventLoops
import HTTPServer
import HatoWire
import ObjectModel
import PieSocketAdapter
import Realtime
import SQLiteStorage

/// One limit of a room, as a setting: its name, its bounds, and where it lives in `RoomLimits`.
///
/// A room's own default is the setting's default, so that there is one number for each limit
/// (rulings 8).
struct LimitSetting: Sendable {
    let definition: SettingDefinition
    private let place: Place

    private enum Place: Sendable {
        case number(any WritableKeyPath<RoomLimits, Int> & Sendable)
        case seconds(any WritableKeyPath<RoomLimits, Duration> & Sendable)
        case milliseconds(any WritableKeyPath<RoomLimits, Duration> & Sendable)

        func read(_ limits: RoomLimits) -> Int {
            switch self {
            case .number(let path): limits[keyPath: path]
            case .seconds(let path): Int(limits[keyPath: path].components.seconds)
            case .milliseconds(let path): Int(limits[keyPath: path] / .milliseconds(1))
            }
        }

        func write(_ value: Int, to limits: inout RoomLimits) {
            switch self {
            case .number(let path): limits[keyPath: path] = value
            case .seconds(let path): limits[keyPath: path] = .seconds(value)
            case .milliseconds(let path): limits[keyPath: path] = .milliseconds(value)
            }
        }
    }

    private init(_ name: String, _ range: ClosedRange<Int>, _ place: Place, _ help: String) {
        self.place = place
        self.definition = SettingDefinition(
            name,
            .integer(range),
            String(place.read(RoomLimits())),
            help
        )
    }

    /// The value that `limits` has there, in the setting's unit.
    func value(in limits: RoomLimits) -> Int {
        place.read(limits)
    }

    /// Puts the configured value into its place.
    func apply(_ configuration: EffectiveConfiguration, to limits: inout RoomLimits) {
        place.write(configuration.integer(definition.name), to: &limits)
    }
}

extension LimitSetting {
    static let all: [LimitSetting] = requests + connections + objects + storage + accounts

    private typealias Path<Value> = any WritableKeyPath<RoomLimits, Value> & Sendable

    private static func count(
        _ name: String,
        _ range: ClosedRange<Int>,
        _ path: Path<Int>,
        _ help: String
    ) -> LimitSetting {
        LimitSetting(name, range, .number(path), help)
    }

    private static func seconds(
        _ name: String,
        _ path: Path<Duration>,
        _ help: String
    ) -> LimitSetting {
        LimitSetting(name, 1...3_600, .seconds(path), help)
    }

    private static let requests: [LimitSetting] = [
        count(
            "request-line-bytes",
            1_024...1_048_576,
            \.http.limits.requestLineBytes,
            "request line"
        ),
        count("header-count", 16...1_000, \.http.limits.fieldCount, "header fields of a request"),
        count("header-bytes", 1_024...1_048_576, \.http.limits.fieldBytes, "header block"),
        count("body-bytes", 1_024...1_073_741_824, \.http.limits.bodyBytes, "request body"),
        seconds("head-seconds", \.http.headDeadline, "time for a request's head"),
        seconds("body-seconds", \.http.bodyDeadline, "time for a request's body, in all"),
        seconds("idle-seconds", \.http.idleDeadline, "how long an idle connection is kept"),
        count(
            "pipeline-bytes",
            4_096...1_073_741_824,
            \.http.pipelineMarkBytes,
            "unsent bytes that hold back a pipelined request"
        ),
    ]

    private static let connections: [LimitSetting] = [
        count("loops", 0...64, \.loopCount, "event loops; 0 is one a core"),
        count(
            "connections",
            16...1_048_576,
            \.loops.connectionLimit,
            "connections, as descriptors allow"
        ),
        count("outbox-bytes", 65_536...1_073_741_824, \.outboxBytes, "unsent bytes of a socket"),
        count("outbox-frames", 16...1_000_000, \.outboxFrames, "unsent frames of a socket"),
        count(
            "unsent-answer-bytes",
            1_048_576...1_099_511_627_776,
            \.loops.unsentBytes,
            "memory of all answers, made or unsent"
        ),
        seconds("stalled-write-seconds", \.loops.stalledWrite, "how long unread bytes are kept"),
        seconds("ping-seconds", \.http.pingInterval, "WebSocket ping; dropped after two missed"),
        seconds("close-seconds", \.http.closeTimeout, "time for a closing handshake"),
        count("relay-message-bytes", 1_024...67_108_864, \.relay.messageBytes, "relay message"),
        count("channel-name-bytes", 1...1_024, \.relay.channelNameBytes, "name of a relay channel"),
        count(
            "channels",
            1...10_000_000,
            \.channels.channelsPerScope,
            "channels in use, for each relay key"
        ),
        count(
            "channel-members",
            1...1_000_000,
            \.channels.membersPerChannel,
            "members of a channel"
        ),
        count(
            "presence-members",
            1...10_000,
            \.channels.presencePerChannel,
            "members with presence of a channel"
        ),
        count(
            "presence-event-bytes",
            4_096...1_073_741_824,
            \.channels.presenceBytesPerSecond,
            "events of members a second, to each of a channel"
        ),
        count("uuid-bytes", 36...1_024, \.relay.uuidBytes, "uuid of a member"),
        count(
            "relay-token-seconds",
            1...31_536_000,
            \.relay.tokenLifetimeSeconds,
            "how long a token of the auth endpoint is good"
        ),
        count(
            "relay-refusals",
            1...10_000,
            \.relay.storm.failures,
            "relay connections of an address refused for key or token, and, apart, wrong secrets"
        ),
        count("relay-refusal-seconds", 1...3_600, \.relay.storm.windowSeconds, "in so long"),
        count("user-name-bytes", 16...4_096, \.relay.userNameBytes, "user name of a member"),
        count(
            "waiting-messages",
            16...10_000_000,
            \.channels.waitingMessagesPerLoop,
            "messages that wait for a loop"
        ),
        count(
            "waiting-bytes",
            65_536...1_073_741_824,
            \.channels.waitingBytesPerLoop,
            "bytes of those messages"
        ),
        LimitSetting(
            "shutdown-milliseconds",
            0...60_000,
            .milliseconds(\.shutdownGrace),
            "time for requests in flight at a stop"
        ),
    ]

    private static let objects: [LimitSetting] = [
        count("document-bytes", 1_024...16_777_216, \.store.documents.documentBytes, "document"),
        count("document-fields", 1...100_000, \.store.documents.fieldCount, "fields of a document"),
        count("acl-entries", 1...1_000, \.store.documents.aclEntries, "entries of an ACL"),
        count("document-depth", 2...128, \.store.documents.depth, "nesting of a document"),
        count("query-conditions", 1...10_000, \.query.operatorCount, "conditions of a where"),
        count("query-depth", 1...128, \.query.depth, "nesting of a where"),
        count("query-elements", 1...100_000, \.query.elementCount, "operands of $in in a where"),
        count(
            "query-elements-total",
            1...1_000_000,
            \.query.totalElementCount,
            "operands of all lists in a where"
        ),
        count("query-patterns", 1...64, \.query.patternCount, "$regex in a where"),
        LimitSetting(
            "query-pattern-milliseconds",
            1...10_000,
            .milliseconds(\.query.pattern.time),
            "time for what is costly in all $regex of a where"
        ),
        count("query-orders", 1...64, \.query.orderCount, "fields of an order"),
    ]

    private static let storage: [LimitSetting] = [
        count("writer-queue", 1...1_000_000, \.store.writerQueue, "writes that wait for a commit"),
        count("list-threads", 1...64, \.store.listThreads, "threads that answer lists"),
        count("slow-list-threads", 1...64, \.store.slowListThreads, "threads for slow lists"),
        LimitSetting(
            "list-slice-milliseconds",
            1...10_000,
            .milliseconds(\.store.listSlice),
            "time after which a list is slow"
        ),
        count(
            "list-queue",
            1...1_000_000,
            \.store.listQueue,
            "lists of an application that wait"
        ),
        seconds("list-seconds", \.store.listDeadline, "time for a list"),
        count("list-answer-bytes", 65_536...1_073_741_824, \.store.listBytes, "answer to a list"),
        count(
            "open-applications",
            1...1_000,
            \.store.openApplications,
            "applications open at a time"
        ),
        count(
            "unused-index-days",
            1...36_500,
            \.unusedIndexDays,
            "without a list, until a self-made index goes"
        ),
        count("change-log-rows", 1_000...100_000_000, \.changeLogRows, "changes kept"),
        count("change-log-hours", 1...8_760, \.changeLogHours, "how long changes are kept"),
    ]

    private static let accounts: [LimitSetting] = [
        count("hash-threads", 1...64, \.hashThreads, "threads that hash passwords, 19 MiB each"),
        count("hash-queue", 1...100_000, \.hashQueue, "passwords that wait for a hash"),
        count(
            "login-failures",
            1...10_000,
            \.login.failures,
            "failed logins of an account and address"
        ),
        count("login-window-seconds", 1...86_400, \.login.windowSeconds, "in so long"),
    ]
}
