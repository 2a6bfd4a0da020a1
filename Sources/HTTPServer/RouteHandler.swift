/// What answers the requests of a route.
package enum RouteHandler: Sendable {
    /// Runs on the loop and must not block it.
    case sync(@Sendable (RequestContext) -> Response)
    /// Runs on the loop until its first suspension, and on the loop again after each.
    ///
    /// The connection's next request waits. When the client leaves, the task is cancelled and the
    /// answer dropped; a FIN alone is no leaving, its sender may still read.
    case async(@Sendable (RequestContext) async -> Response)
    /// Decides on the loop whether a valid handshake becomes a WebSocket.
    case webSocket(@Sendable (RequestContext) -> WebSocketDecision)
}

/// The answer to a WebSocket handshake.
package enum WebSocketDecision {
    case accept(WebSocketOptions, any WebSocketHandler)
    case refuse(Response)
}
