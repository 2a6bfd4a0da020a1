import EventLoops
package import HTTPServer
import HatoWire
import ObjectModel
import Realtime

/// What the holder of a relay secret may ask about its channels, by the headers `key` and `secret`
/// (realtime.md 1.5): `/api/connections`, `/api/connections/sum`, `/api/domains`.
package struct AccountRoutes: Sendable {
    private let hub: ChannelHub
    private let proof: SecretProof

    init(hub: ChannelHub, proof: SecretProof) {
        self.hub = hub
        self.proof = proof
    }

    package func register(on router: inout Router) {
        router.on(.get, "/api/connections", .async { await connections($0) })
        router.on(.get, "/api/connections/sum", .sync { answer($0, sum) })
        router.on(.get, "/api/domains", .sync { answer($0, domains) })
    }

    private func answer(
        _ context: RequestContext,
        _ body: (Application, HTTPRequest) -> [UInt8]
    ) -> Response {
        switch application(context) {
        case .success(let application): .json(body(application, context.request))
        case .failure(let refusal): refusal.response
        }
    }

    private func application(
        _ context: RequestContext
    ) -> Result<Application, SecretProof.Refusal> {
        proof.application(
            key: context.request.text("key"),
            secret: context.request.value("secret").map { Array($0) },
            context
        )
    }

    /// `{"connections":[{"channelId":"room","connections":2},…]}`, in no order: a piece in each turn of
    /// the loop.
    private func connections(_ context: RequestContext) async -> Response {
        let application: Application
        switch self.application(context) {
        case .success(let found): application = found
        case .failure(let refusal): return refusal.response
        }
        var body = Array(#"{"connections":["#.utf8)
        var isFirst = true
        var listing = hub.listing(of: application.relayKey)
        while !Task.isCancelled, let channels = hub.next(of: &listing) {
            for channel in channels {
                if !isFirst { body.append(UInt8(ascii: ",")) }
                isFirst = false
                body.append(contentsOf: #"{"channelId":"#.utf8)
                JSONWriter.append(string: channel.name, to: &body)
                body.append(contentsOf: #","connections":\#(channel.members)}"#.utf8)
            }
            await context.loop.nextTurn()
        }
        body.append(contentsOf: "]}".utf8)
        return .json(body)
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
