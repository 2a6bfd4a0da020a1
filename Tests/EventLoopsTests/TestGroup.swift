import EventLoops

/// Runs a group for one test and stops it; the tick is made short.
func withGroup<Result>(
    loops count: Int = 1,
    limits: LoopLimits = LoopLimits(),
    transform: (@Sendable (Connection) -> any ByteTransform)? = nil,
    handler: @escaping @Sendable (Connection) -> any ConnectionHandler,
    _ body: (EventLoopGroup, Int) throws -> Result
) throws -> Result {
    var limits = limits
    limits.tick = .milliseconds(5)
    let group = try EventLoopGroup(count: count, limits: limits)
    let port = try group.listen(
        ListenAddress(host: "127.0.0.1", port: 0),
        transform: transform,
        handler: handler
    )
    try group.start()
    defer {
        group.drain(within: .milliseconds(500))
        group.stop()
    }
    return try body(group, Int(port))
}
