import Cryptography
package import HTTPServer
import HatoWire
import ObjectModel
package import Realtime

/// What the holder of a relay secret may ask about its channels, by the headers `key` and `secret`
/// (realtime.md 1.5): `/api/connections`, `/api/connections/sum`, `/api/domains`.
package struct AccountRoutes: Sendable {
    private let hub: ChannelHub
    private let directory: any RelayDirectory

    package init(hub: ChannelHub, directory: any RelayDirectory) {
        self.hub = hub
        self.directory = directory
    }

    package func register(on router: inout Router) {
        router.on(.get, "/api/connections", .sync { answer($0, connections) })
        router.on(.get, "/api/connections/sum", .sync { answer($0, sum) })
        router.on(.get, "/api/domains", .sync { answer($0, domains) })
    }

    private func answer(
        _ context: RequestContext,
        _ body: (Application, HTTPRequest) -> [UInt8]
    ) -> Response {
        let request = context.request
        guard let key = request.value("key"), let secret = request.value("secret"),
            let application = directory.application(relayKey: Text(utf8: key)),
            application.isRelaySecret(Array(secret))
        else { return RelayRefusal.wrongSecret }
        return .json(body(application, request))
    }

    /// `{"connections":[{"channelId":"room","connections":2},…]}`, in no order.
    private func connections(_ application: Application, _ request: HTTPRequest) -> [UInt8] {
        var body = Array(#"{"connections":["#.utf8)
        for (index, channel) in hub.channels(of: application.relayKey).enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body.append(contentsOf: #"{"channelId":"#.utf8)
            JSONWriter.append(string: channel.name, to: &body)
            body.append(contentsOf: #","connections":\#(channel.members)}"#.utf8)
        }
        body.append(contentsOf: "]}".utf8)
        return body
    }

    private func sum(_ application: Application, _ request: HTTPRequest) -> [UInt8] {
        Array(#"{"connections":\#(hub.counts(of: application.relayKey).members)}"#.utf8)
    }

    /// The one name under which this server was asked: it has no list of others.
    private func domains(_ application: Application, _ request: HTTPRequest) -> [UInt8] {
        var body = Array(#"{"domains":["#.utf8)
        if let authority = request.rawAuthority {
            JSONWriter.append(string: Text(utf8: authority), to: &body)
        }
        body.append(contentsOf: "]}".utf8)
        return body
    }
}

extension Application {
    /// Whether this is the secret, compared in constant time.
    func isRelaySecret(_ secret: [UInt8]) -> Bool {
        ConstantTime.areEqual(Array(relaySecret.utf8), secret)
    }
}
