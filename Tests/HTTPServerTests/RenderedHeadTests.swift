import HTTPServer
import HatoTesting
import HatoWire
import Testing

@Suite("RenderedHead")
struct RenderedHeadTests {
    /// Answers that differ in one thing at a time, all with bodies of five bytes but one.
    private static func router() -> Router {
        var router = Router()
        router.on(.get, "/text", .sync { _ in .text("hello") })
        router.on(.get, "/longer", .sync { _ in .text("hello, you") })
        router.on(.get, "/json", .sync { _ in .json(Array("hello".utf8)) })
        router.on(.get, "/made", .sync { _ in .text("hello", status: 201) })
        router.on(.get, "/bare", .sync { _ in Response(status: 200, body: Array("hello".utf8)) })
        router.on(.get, "/none", .sync { _ in Response(status: 204) })
        router.on(
            .get,
            "/own",
            .sync { _ in
                Response(
                    status: 200,
                    contentType: .text,
                    headers: [("Location", "/text")],
                    body: Array("hello".utf8)
                )
            }
        )
        return router
    }

    private struct Case {
        let path: String
        var version = "1.1"
        var fields: [String] = []
        var status = 200
        /// The answer's fields but Date, in order.
        let expected: [String]
    }

    private static let text = "content-type: text/plain; charset=utf-8"
    private static let cases = [
        Case(path: "/text", expected: [text, "content-length: 5"]),
        Case(path: "/longer", expected: [text, "content-length: 10"]),
        Case(path: "/json", expected: ["content-type: application/json", "content-length: 5"]),
        Case(path: "/made", status: 201, expected: [text, "content-length: 5"]),
        Case(path: "/bare", expected: ["content-length: 5"]),
        Case(path: "/none", status: 204, expected: []),
        Case(path: "/own", expected: [text, "content-length: 5", "location: /text"]),
        Case(
            path: "/text",
            fields: ["Origin: http://page"],
            expected: [
                text, "content-length: 5", "access-control-allow-origin: *",
                "access-control-expose-headers: X-NCMB-Response-Signature",
            ]
        ),
        Case(
            path: "/text",
            version: "1.0",
            fields: ["Connection: keep-alive"],
            expected: [text, "content-length: 5", "connection: keep-alive"]
        ),
    ]

    @Test("every answer gets its own head, whichever was answered before it")
    func everyPair() throws {
        try withServer(router: RenderedHeadTests.router()) { _, port in
            let client = try TestHTTPClient(port: port)
            for first in RenderedHeadTests.cases {
                for second in RenderedHeadTests.cases {
                    for asked in [first, second] {
                        try check(asked, on: client)
                    }
                }
            }
        }
    }

    private func check(_ asked: Case, on client: TestHTTPClient) throws {
        let lines = ["GET \(asked.path) HTTP/\(asked.version)", "Host: here"] + asked.fields
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        let answer = try client.response()
        #expect(answer.status == asked.status)
        let fields = answer.headers.map { "\($0.0.lowercased()): \($0.1)" }
        #expect(fields.filter { !$0.hasPrefix("date: ") } == asked.expected, "\(asked.path)")
        #expect(fields.count == asked.expected.count + 1)
    }
}
