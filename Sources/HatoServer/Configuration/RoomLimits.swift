import EventLoops
import Glibc
import HTTPServer
import HatoWire
import NCMBAdapter
import PieSocketAdapter
import Realtime
import SQLiteStorage

/// The settings as the rooms take them.
struct RoomLimits {
    var loopCount: Int
    var loops: LoopLimits
    var http: HTTPConfiguration
    var channels: ChannelLimits
    var relay: PieSocketLimits
    var store: StoreLimits
    var hashThreads: Int
    var hashQueue: Int
    var shutdownGrace: Duration

    init(_ configuration: EffectiveConfiguration) {
        let wanted = configuration.integer("loops")
        loopCount = wanted > 0 ? wanted : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        hashThreads = configuration.integer("hash-threads")
        hashQueue = configuration.integer("hash-queue")
        shutdownGrace = .milliseconds(configuration.integer("shutdown-milliseconds"))
        loops = LoopLimits()
        http = HTTPConfiguration()
        channels = ChannelLimits()
        relay = PieSocketLimits()
        store = StoreLimits()
        setConnections(configuration)
        setRequests(configuration)
        setStore(configuration)
    }

    private mutating func setConnections(_ configuration: EffectiveConfiguration) {
        loops.stalledWrite = .seconds(configuration.integer("stalled-write-seconds"))
        loops.outbox = OutboxLimits(
            bytes: configuration.integer("outbox-bytes"),
            frames: configuration.integer("outbox-frames")
        )
        channels.channelsPerScope = configuration.integer("channel-count")
        relay.messageBytes = configuration.integer("relay-message-bytes")
        relay.outbox = loops.outbox
        http.pingInterval = .seconds(configuration.integer("ping-seconds"))
    }

    private mutating func setRequests(_ configuration: EffectiveConfiguration) {
        http.limits.requestLineBytes = configuration.integer("request-line-bytes")
        http.limits.fieldCount = configuration.integer("header-count")
        http.limits.fieldBytes = configuration.integer("header-bytes")
        http.limits.bodyBytes = configuration.integer("body-bytes")
        http.headDeadline = .seconds(configuration.integer("head-seconds"))
        http.bodyDeadline = .seconds(configuration.integer("body-seconds"))
        http.idleDeadline = .seconds(configuration.integer("idle-seconds"))
        http.renderFailure = { failure in NCMBRoutes.response(to: failure) }
    }

    private mutating func setStore(_ configuration: EffectiveConfiguration) {
        store.writerQueue = configuration.integer("writer-queue")
        store.listThreads = configuration.integer("list-threads")
        store.listQueue = configuration.integer("list-queue")
        store.listDeadline = .seconds(configuration.integer("list-seconds"))
        store.listBytes = configuration.integer("list-answer-bytes")
        store.openApplications = configuration.integer("open-applications")
        store.changeLogRows = Int64(configuration.integer("change-log-rows"))
        store.changeLogAge = .seconds(configuration.integer("change-log-hours") * 3_600)
    }
}
