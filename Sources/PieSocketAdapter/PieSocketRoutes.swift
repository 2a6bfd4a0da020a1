import Cryptography
package import HTTPServer
package import HatoWire
package import ObjectModel
package import Realtime

/// The relay under PieSocket's addresses: `GET /v3/{channel}` as a WebSocket and
/// `POST /api/publish` (realtime.md 1.1 to 1.3 and 1.5).
package struct PieSocketRoutes: Sendable {
    private let hub: ChannelHub
    private let limits: PieSocketLimits
    private let application: @Sendable (_ relayKey: Text) -> Application?

    /// Creates the routes.
    ///
    /// `application` returns whose relay key this is; it is called on loops and must look into
    /// memory only.
    package init(
        hub: ChannelHub,
        limits: PieSocketLimits = PieSocketLimits(),
        application: @escaping @Sendable (_ relayKey: Text) -> Application?
    ) {
        self.hub = hub
        self.limits = limits
        self.application = application
    }

    package func register(on router: inout Router) {
        router.on(.get, "/v3/{channel}", .webSocket { open($0) })
        router.on(.post, "/api/publish", .sync { publish($0) })
    }

    private func open(_ context: RequestContext) -> WebSocketDecision {
        let request = RelayRequest(
            channel: context.rawParameter(0),
            query: context.request.rawQuery,
            limits: limits
        )
        let options = WebSocketOptions(
            messageLimitBytes: limits.messageBytes,
            outbox: limits.outbox,
            allowsCompression: limits.allowsCompression
        )
        switch request.admission(application) {
        case .success(let key):
            let socket = RelaySocket(hub: hub, key: key, notifiesSelf: request.notifiesSelf)
            return .accept(options, socket)
        case .failure(let refusal):
            return .accept(options, RefusedSocket(refusal))
        }
    }

    private func publish(_ context: RequestContext) -> Response {
        let publication: PublishRequest
        do {
            publication = try PublishRequest(context.request.body, limits: limits)
        } catch {
            return answer(error.status, error.text)
        }
        // One text for both: whoever guesses learns nothing of which was right.
        guard let application = application(publication.key),
            ConstantTime.areEqual(
                Array(application.relaySecret.utf8),
                Array(publication.secret.utf8)
            )
        else { return answer(401, "Invalid API key or secret.") }
        let key = ChannelKey(scope: application.relayKey, name: publication.channel)
        switch hub.publish(MessageFrame.text(publication.message), to: key) {
        case .queued, .unheard:
            return .json(Array(#"{"success":true}"#.utf8))
        case .refused:
            return answer(503, "Too many messages are waiting.")
        }
    }

    private func answer(_ status: Int, _ error: String) -> Response {
        .json(RelayRefusal.message(error), status: status)
    }
}
