import HatoWire
import Testing

@testable import HTTPServer

@Suite("Router")
struct RouterTests {
    /// A router whose routes answer their own number.
    private func router(_ patterns: [String]) -> Router {
        var router = Router()
        for (index, pattern) in patterns.enumerated() {
            router.on(.get, pattern, bodyLimitBytes: index, .sync { _ in Response(status: 200) })
        }
        return router
    }

    private func match(_ router: Router, _ path: String) -> (pattern: Int, parameters: [String])? {
        let head = Array("GET \(path) HTTP/1.1".utf8)
        guard let match = router.match(head.span, 4..<head.count - 9) else { return nil }
        // The limit tells which pattern it was.
        guard let route = router.route(.get, at: match.node)?.bodyLimitBytes else { return nil }
        return (route, match.parameters.map { String(decoding: head[$0], as: UTF8.self) })
    }

    @Test("prefers a static segment to a parameter, and comes back when it leads nowhere")
    func precedence() throws {
        let router = router(["/", "/a/{x}", "/a/b", "/a/b/c", "/a/{x}/d", "/{y}/e"])
        let cases: [(String, Int, [String])] = [
            ("/", 0, []), ("/a/b", 2, []), ("/a/z", 1, ["z"]), ("/a/b/c", 3, []),
            ("/a/b/d", 4, ["b"]), ("/a/e", 1, ["e"]), ("/q/e", 5, ["q"]),
        ]
        for (path, pattern, parameters) in cases {
            let found = try #require(match(router, path), "\(path)")
            #expect(found.pattern == pattern && found.parameters == parameters, "\(path)")
        }
    }

    @Test(
        "finds nothing for other paths",
        arguments: [
            "*", "//", "/a", "/a//b", "//a/b", "/a/b/c/d", "/A/b", "/a/b//", "/%", "/a/%zz%",
        ]
    )
    func misses(path: String) {
        #expect(match(router(["/a/b", "/a/b/c"]), path) == nil)
    }

    @Test("tolerates one slash at the end")
    func trailingSlash() {
        let router = router(["/a/{x}"])
        #expect(match(router, "/a/b/")?.parameters == ["b"])
        #expect(match(router, "/a/") == nil)
    }

    @Test("matches static segments in their percent-coded form too")
    func coded() {
        let router = router(["/2013-09-01/classes/{class}"])
        #expect(match(router, "/2013%2D09-01/cl%61sses/Chat%20x")?.parameters == ["Chat%20x"])
    }

    @Test("stays shallow on a path of thousands of segments")
    func deep() {
        let path = String(repeating: "/a", count: 20_000)
        #expect(match(router(["/a/a/a", "/{x}/{y}/{z}/{w}"]), path) == nil)
    }

    @Test("lists its table in the order of adding")
    func table() {
        var router = Router()
        router.on([.get, .post], "/a/{x}", .sync { _ in Response(status: 200) })
        router.on(
            .get,
            "/ws",
            .webSocket { _ in .refuse(Response(status: 403)) }
        )
        #expect(
            router.table == [
                RouteDescription(method: .get, pattern: "/a/{x}", isWebSocket: false),
                RouteDescription(method: .post, pattern: "/a/{x}", isWebSocket: false),
                RouteDescription(method: .get, pattern: "/ws", isWebSocket: true),
            ]
        )
        #expect(router.allowedMethods(at: nil) == "GET, HEAD, POST, OPTIONS")
    }
}
