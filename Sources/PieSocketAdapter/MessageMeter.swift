import EventLoops
import HatoWire
import ObjectModel
import Synchronization

/// Holds the messages of one relay key to its limit a second, over all loops (rulings 21).
///
/// As many as the limit may come at once; then one for each of a second's equal parts. What the
/// operator sets is in force within a second, also for sockets that are open. Any thread; without a
/// limit it takes no lock.
final class MessageMeter: Sendable {
    private static let second: UInt64 = 1_000_000_000

    private let lookUp: @Sendable () -> Int?
    /// 0: no limit.
    private let perSecond: Atomic<Int>
    private let lookedUpAt: Atomic<UInt64>
    /// When all that was taken is paid for.
    private let paidAt = Guarded<UInt64>(0)

    /// `lookUp` returns the limit as it is set now; it looks into memory.
    init(at nanoseconds: UInt64, lookUp: @escaping @Sendable () -> Int?) {
        self.lookUp = lookUp
        self.perSecond = Atomic(lookUp() ?? 0)
        self.lookedUpAt = Atomic(nanoseconds)
    }

    /// Counts a message; false when it is one too many.
    func take(at nanoseconds: UInt64) -> Bool {
        let lookedUp = lookedUpAt.load(ordering: .relaxed)
        // A loop's time is that of its turn: another loop's may be ahead of it.
        if nanoseconds > lookedUp, nanoseconds - lookedUp >= Self.second {
            lookedUpAt.store(nanoseconds, ordering: .relaxed)
            perSecond.store(lookUp() ?? 0, ordering: .relaxed)
        }
        let limit = perSecond.load(ordering: .relaxed)
        guard limit > 0 else { return true }
        let part = Self.second / UInt64(limit)
        return paidAt.withLock { paidAt in
            let start = max(paidAt, nanoseconds)
            guard start - nanoseconds <= part * UInt64(limit - 1) else { return false }
            paidAt = start + part
            return true
        }
    }
}

/// The meters of all relay keys, as many as there are applications.
final class MessageMeters: Sendable {
    private let directory: any RelayDirectory
    private let meters = Guarded<[Text: MessageMeter]>([:])

    init(directory: any RelayDirectory) {
        self.directory = directory
    }

    /// Returns the meter of a relay key that an application has.
    func meter(of relayKey: Text, at now: LoopTime) -> MessageMeter {
        meters.withLock { meters in
            if let meter = meters[relayKey] { return meter }
            let meter = MessageMeter(at: now.monotonicNanoseconds) { [directory] in
                directory.application(relayKey: relayKey)?.settings.relay.messagesPerSecond
            }
            meters[relayKey] = meter
            return meter
        }
    }
}
