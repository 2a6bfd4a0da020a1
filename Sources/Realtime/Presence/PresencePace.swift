/// How fast the members of a channel are told who comes and goes: by the bytes that each of them gets.
///
/// As much as four seconds bring may be told at once, a quarter of what may wait for a member at most
/// (`OutboxLimits.standard`): with the defaults who reads at this pace is closed by nobody's coming and
/// going. Outboxes count frames too, so that a short event costs as much as a frame's share of their
/// bytes.
struct PresencePace: Sendable {
    /// The least that an event costs.
    static let eventBytes = 4_096
    /// How long a pace may be saved up for.
    private static let savedSeconds: UInt64 = 4
    private static let second: UInt64 = 1_000_000_000

    private let nanosecondsPerByte: Double
    /// What may be unpaid for when the next event is told.
    private let allowance: UInt64
    /// When all that was told is paid for.
    private var paidAt: UInt64 = 0

    /// Less than an event a second counts as that.
    init(bytesPerSecond: Int) {
        nanosecondsPerByte = Double(Self.second) / Double(max(bytesPerSecond, Self.eventBytes))
        allowance =
            Self.savedSeconds * Self.second - UInt64(Double(Self.eventBytes) * nanosecondsPerByte)
    }

    /// Nanoseconds until the next event may be told; 0: now.
    func wait(at nanoseconds: UInt64) -> UInt64 {
        let debt = paidAt > nanoseconds ? paidAt - nanoseconds : 0
        return debt > allowance ? debt - allowance : 0
    }

    /// Counts an event that is told.
    mutating func take(_ bytes: Int, at nanoseconds: UInt64) {
        let cost = Double(max(bytes, Self.eventBytes)) * nanosecondsPerByte
        paidAt = max(paidAt, nanoseconds) + UInt64(cost)
    }
}
