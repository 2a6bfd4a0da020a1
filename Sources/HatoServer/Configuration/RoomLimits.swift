import Backend
import EventLoops
import Glibc
import HTTPServer
import NCMBAdapter
import ObjectModel
import PieSocketAdapter
import Realtime
import SQLiteStorage

/// The limits of all rooms, as the rooms take them.
struct RoomLimits: Sendable {
    /// 0 is one a core.
    var loopCount = 0
    var loops = LoopLimits()
    var http = HTTPConfiguration()
    var channels = ChannelLimits()
    var relay = PieSocketLimits()
    var store = StoreLimits()
    var query = QueryLimits()
    var login = LoginLimiter.Limits()
    var hashThreads = 1
    var hashQueue = 200
    /// Whether long answers may leave as gzip.
    var allowsGzip = true
    /// Answers that wait to be packed, each of a list's size at most; past it they leave as they are.
    var gzipQueue = 8
    /// Leaves room for the closing of the store within a second.
    var shutdownGrace = Duration.milliseconds(600)

    /// The rooms' own defaults.
    init() {}

    /// The configured limits.
    init(_ configuration: EffectiveConfiguration) {
        for setting in LimitSetting.all { setting.apply(configuration, to: &self) }
        if loopCount == 0 { loopCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
        relay.outbox = loops.outbox
        relay.allowsCompression = configuration["relay-compression"].value == "on"
        allowsGzip = configuration["gzip"].value == "on"
        loops.reservedDescriptors += StoreLimits.descriptorCount(for: store, loopCount: loopCount)
        http.renderFailure = { failure in NCMBRoutes.response(to: failure) }
    }
}

/// Settings whose unit is not their room's.
extension RoomLimits {
    var outboxBytes: Int {
        get { loops.outbox.bytes }
        set { loops.outbox = OutboxLimits(bytes: newValue, frames: loops.outbox.frames) }
    }

    var outboxFrames: Int {
        get { loops.outbox.frames }
        set { loops.outbox = OutboxLimits(bytes: loops.outbox.bytes, frames: newValue) }
    }

    var changeLogRows: Int {
        get { Int(store.changeLogRows) }
        set { store.changeLogRows = Int64(newValue) }
    }

    var unusedIndexDays: Int {
        get { Int(store.unusedIndexAge.components.seconds / 86_400) }
        set { store.unusedIndexAge = .seconds(newValue * 86_400) }
    }

    var changeLogHours: Int {
        get { Int(store.changeLogAge.components.seconds / 3_600) }
        set { store.changeLogAge = .seconds(newValue * 3_600) }
    }
}
