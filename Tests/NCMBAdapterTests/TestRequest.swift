import HatoWire
import Testing

/// A request as the server's own parser reads it.
enum TestRequest {
    static func parse(
        _ method: String = "GET",
        _ target: String = "/2013-09-01/classes/Chat",
        headers: [(String, String)] = [],
        body: String = ""
    ) throws -> HTTPRequest {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:8970\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" || method == "PUT" {
            text += "Content-Length: \(body.utf8.count)\r\n"
        }
        text += "\r\n" + body
        var parser = RequestParser(limits: HTTPLimits())
        let bytes = Array(text.utf8)
        var offset = 0
        guard case .request = parser.parse(bytes.span, from: &offset) else {
            throw NotARequest()
        }
        return parser.request
    }

    struct NotARequest: Error {}
}
