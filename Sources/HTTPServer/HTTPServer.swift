package import EventLoops

/// An HTTP/1.1 and WebSocket server on a group of loops.
package final class HTTPServer: Sendable {
    private let group: EventLoopGroup
    private let loops: [LoopBound<HTTPLoop>]

    /// Makes a server that answers by `router`; it listens nowhere yet.
    package init(
        group: EventLoopGroup,
        router: Router,
        configuration: HTTPConfiguration = HTTPConfiguration()
    ) {
        self.group = group
        loops = group.loops.map { loop in
            LoopBound(
                HTTPLoop(loop: loop, router: router, configuration: configuration),
                on: loop
            )
        }
    }

    /// Listens on `address` and returns the port; connections are served once the group runs.
    ///
    /// `transform`, if given, makes what stands between each socket and HTTP: TLS. Throws when the
    /// address can't be bound, so also when another server listens there.
    @discardableResult
    package func listen(
        _ address: ListenAddress,
        transform: (@Sendable (Connection) -> any ByteTransform)? = nil
    ) throws(LoopFailure) -> UInt16 {
        let loops = loops
        return try group.listen(address, transform: transform) { connection in
            HTTPSession(shared: loops[connection.loop.index].value, connection: connection)
        }
    }

    /// Stops gracefully: takes no more connections, answers what is in flight, closes WebSockets
    /// with 1001, and drops what is left after `span`.
    ///
    /// Returns when no connection is left. The loops go on: stop the group when whatever the
    /// handlers use has ended too. Not from a loop.
    package func stop(within span: Duration) {
        group.drain(within: span)
    }
}
