/// A span of time in ticks of a loop's coarse clock, converted once instead of at every request.
package struct TickSpan: Sendable, Equatable {
    let ticks: UInt32

    init(ticks: UInt32) {
        self.ticks = ticks
    }
}
