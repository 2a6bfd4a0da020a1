package import HTTPServer
import HatoWire
package import ObjectModel

/// The page at `/`: a chat in plain HTML and script, for the application that its operator has marked
/// as the demo.
///
/// Its keys are the only ones that are shown, and of those only the two that every client has. All
/// that the page loads comes from this server, and its policy lets it load nothing else.
package struct ChatPageRoutes: Sendable {
    private let demo: @Sendable () -> Application?

    /// Creates the routes.
    ///
    /// `demo` returns the application that is marked; it is called on loops and must look into memory
    /// only.
    package init(demo: @escaping @Sendable () -> Application?) {
        self.demo = demo
    }

    package func register(on router: inout Router) {
        let page = answer(.html, PackageResources.index_html)
        let style = answer("text/css; charset=utf-8", PackageResources.page_css)
        let script = answer("text/javascript; charset=utf-8", PackageResources.page_js)
        router.on(.get, "/", .sync { _ in page })
        router.on(.get, "/page.css", .sync { _ in style })
        router.on(.get, "/page.js", .sync { _ in script })
        router.on(.get, "/page.json", .sync { _ in facts() })
    }

    /// What the page needs to know of the application, or why there is no chat.
    private func facts() -> Response {
        let application = demo()
        var members: [JSONObject.Member] = []
        let reason: Text? =
            switch application?.settings {
            case nil: "noDemo"
            case let settings? where settings.requiresSignature: "signature"
            case let settings? where !settings.allowsAnonymous: "anonymous"
            case let settings? where settings.relay.guardsAllChannels: "relay"
            default: nil
            }
        if let application, reason == nil {
            let keys = JSONObject([
                JSONObject.Member(
                    name: "applicationKey",
                    value: .string(application.applicationKey)
                ),
                JSONObject.Member(name: "relayKey", value: .string(application.relayKey)),
            ])
            members.append(JSONObject.Member(name: "demo", value: .object(keys)))
        } else {
            members.append(JSONObject.Member(name: "demo", value: .null))
            members.append(JSONObject.Member(name: "reason", value: .string(reason ?? "noDemo")))
            // The name of an application that is not marked is nobody's business.
            if let application {
                members.append(JSONObject.Member(name: "name", value: .string(application.name)))
            }
        }
        var response = Response.json(JSONWriter.bytes(.object(JSONObject(members))))
        response.headers = ChatPageRoutes.headers + [("Cache-Control", "no-store")]
        return response
    }

    private func answer(_ type: ContentType, _ body: [UInt8]) -> Response {
        Response(status: 200, contentType: type, headers: ChatPageRoutes.fileHeaders, body: body)
    }

    private func answer(_ type: String, _ body: [UInt8]) -> Response {
        Response(
            status: 200,
            headers: [("Content-Type", type)] + ChatPageRoutes.fileHeaders,
            body: body
        )
    }

    private static let fileHeaders = headers + [("Cache-Control", "no-cache")]

    private static let headers: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ]
}
