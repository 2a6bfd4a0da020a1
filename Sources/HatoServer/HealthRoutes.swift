import HTTPServer
import HatoWire

/// What needs no key: `/healthz` for monitors and, where the page is off, a line at `/` for whoever
/// opens the address in a browser.
struct HealthRoutes {
    /// Whether `/` is left to the page.
    let hasPage: Bool

    /// JSON, padded to exactly 200 bytes: the size of a small object's answer, so that this route
    /// also shows what a request costs (`Benchmarks/bench.py http`).
    static let health: [UInt8] = {
        let body = Array(#"{"status":"ok","version":"\#(Program.version)"}"#.utf8)
        return body + [UInt8](repeating: 0x20, count: 200 - body.count)
    }()

    static let front = Array(
        "Hato \(Program.version) is running. REST is under /2013-09-01, the relay under /v3.\n".utf8
    )

    func register(on router: inout Router) {
        let health = Response(status: 200, contentType: .json, body: HealthRoutes.health)
        let front = Response(status: 200, contentType: .text, body: HealthRoutes.front)
        router.on(.get, "/healthz", .sync { _ in health })
        if !hasPage { router.on(.get, "/", .sync { _ in front }) }
    }
}
