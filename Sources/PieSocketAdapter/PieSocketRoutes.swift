import Backend
package import Cryptography
import EventLoops
package import HTTPServer
import HatoWire
import ObjectModel
package import Realtime

/// The relay under PieSocket's addresses: `GET /v3/{channel}` as a WebSocket and
/// `POST /api/publish` (realtime.md 1.1 to 1.5); with them the auth endpoint and the account's numbers.
package struct PieSocketRoutes: Sendable {
    private let hub: ChannelHub
    private let limits: PieSocketLimits
    private let random: any RandomSource
    private let directory: any RelayDirectory
    private let meters: MessageMeters
    private let storm: FailureCounter<String>
    private let proof: SecretProof

    package init(
        hub: ChannelHub,
        directory: any RelayDirectory,
        limits: PieSocketLimits = PieSocketLimits(),
        random: any RandomSource = SecureRandom()
    ) {
        self.hub = hub
        self.limits = limits
        self.random = random
        self.directory = directory
        self.meters = MessageMeters(directory: directory)
        self.storm = FailureCounter(limits: limits.storm)
        self.proof = SecretProof(directory: directory, limits: limits)
    }

    package func register(on router: inout Router) {
        router.on(.get, "/v3/{channel}", .webSocket { open($0) })
        router.on(.post, "/api/publish", .sync { publish($0) })
        ChannelAuthRoutes(directory: directory, limits: limits).register(on: &router)
        AccountRoutes(hub: hub, proof: proof).register(on: &router)
    }

    private func open(_ context: RequestContext) -> WebSocketDecision {
        let now = context.loop.now
        let network = context.peer.network
        let milliseconds = Int64(clamping: now.monotonicNanoseconds / 1_000_000)
        // Clients that are refused reconnect at once and without end (realtime.md 1.6).
        guard !storm.isBlocked(network, at: milliseconds) else {
            return .refuse(RelayRefusal.response(429, "Too many refused connections."))
        }
        let request = RelayRequest(
            channel: context.rawParameter(0),
            query: context.request.rawQuery,
            tokenHeader: context.request.value("jwt"),
            limits: limits
        )
        let admission = request.admission(
            directory.application(relayKey:),
            limits: limits,
            random: random,
            now: Timestamp(millisecondsSinceEpoch: now.wallMilliseconds)
        )
        let options = WebSocketOptions(
            messageLimitBytes: limits.messageBytes,
            outbox: limits.outbox,
            allowsCompression: limits.allowsCompression
        )
        switch admission {
        case .success(let admission):
            let meter = meters.meter(of: admission.channel.scope, at: now)
            return .accept(options, RelaySocket(hub: hub, admission: admission, meter: meter))
        case .failure(let refusal):
            if refusal.isFailedProof { _ = storm.count(network, at: milliseconds) }
            return .accept(options, RefusedSocket(refusal))
        }
    }

    private func publish(_ context: RequestContext) -> Response {
        let publication: PublishRequest
        do {
            publication = try PublishRequest(context.request.body, limits: limits)
        } catch {
            return RelayRefusal.response(error.status, error.text)
        }
        let shown = proof.application(
            key: publication.key.string,
            secret: Array(publication.secret.utf8),
            context
        )
        let application: Application
        switch shown {
        case .success(let found): application = found
        case .failure(let refusal): return refusal.response
        }
        let now = context.loop.now
        let meter = meters.meter(of: application.relayKey, at: now)
        guard meter.take(at: now.monotonicNanoseconds) else {
            return RelayRefusal.response(429, RelayRefusal.tooManyMessages.text)
        }
        let key = ChannelKey(scope: application.relayKey, name: publication.channel)
        switch hub.publish(MessageFrame.text(publication.message), to: key) {
        case .queued, .unheard:
            return .json(Array(#"{"success":true}"#.utf8))
        case .refused:
            return RelayRefusal.response(503, "Too many messages are waiting.")
        }
    }
}
