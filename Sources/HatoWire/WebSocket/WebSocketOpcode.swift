/// What a frame is (RFC 6455 5.2).
///
/// Other values are reserved and fail the connection.
package enum WebSocketOpcode: UInt8, Sendable, Hashable, CaseIterable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// Close, ping and pong: short, never fragmented, allowed between a message's fragments.
    package var isControl: Bool { rawValue >= 8 }
}
