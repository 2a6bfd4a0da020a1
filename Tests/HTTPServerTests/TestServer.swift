import EventLoops
import HTTPServer
import HatoWire

/// Runs a server for one test and stops it; the tick is made short.
func withServer<Result>(
    loops count: Int = 1,
    router: Router,
    configuration: HTTPConfiguration = HTTPConfiguration(),
    limits: LoopLimits = LoopLimits(),
    _ body: (HTTPServer, Int) throws -> Result
) throws -> Result {
    var limits = limits
    limits.tick = .milliseconds(5)
    let group = try EventLoopGroup(count: count, limits: limits)
    let server = HTTPServer(group: group, router: router, configuration: configuration)
    let port = try server.listen(ListenAddress(host: "127.0.0.1", port: 0))
    try group.start()
    defer {
        server.stop(within: .milliseconds(500))
        group.stop()
    }
    return try body(server, Int(port))
}

extension Router {
    /// `GET /` says hello, `POST /echo` returns the body.
    static func simple() -> Router {
        var router = Router()
        router.on(.get, "/", .sync { _ in .text("hello") })
        router.on(.post, "/echo", .sync { .json($0.request.body) })
        return router
    }
}
