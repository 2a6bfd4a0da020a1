import Cryptography
import EventLoops
package import HTTPServer
import HatoWire
import ObjectModel

/// `/broadcasting/auth`, where the SDKs ask for a token before they open a guarded channel
/// (realtime.md 1.4).
///
/// A token is for one channel and the one who is signed in; without a session there is none.
package struct ChannelAuthRoutes: Sendable {
    private let directory: any RelayDirectory
    private let limits: PieSocketLimits

    package init(directory: any RelayDirectory, limits: PieSocketLimits = PieSocketLimits()) {
        self.directory = directory
        self.limits = limits
    }

    package func register(on router: inout Router) {
        router.on(
            [.get, .post],
            "/broadcasting/auth",
            bodyLimitBytes: limits.authBodyBytes,
            .sync { answer($0.request, $0) }
        )
        router.on(.options, "/broadcasting/auth", .sync { preflight($0.request) })
        router.allowCredentials(at: "/broadcasting/auth")
    }

    /// The JavaScript SDK asks with credentials, for which an answer to any origin is not good enough.
    ///
    /// No cookie opens anything here, so that this gives nothing away.
    private func preflight(_ request: HTTPRequest) -> Response {
        var response = Response(status: 204, headers: [("Allow", "GET, HEAD, POST, OPTIONS")])
        guard let origin = request.text("origin") else { return response }
        response.allowCredentials(origin: origin)
        response.headers.append(("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS"))
        if let asked = request.text("access-control-request-headers") {
            response.headers.append(("Access-Control-Allow-Headers", asked))
        }
        return response
    }

    private func answer(_ request: HTTPRequest, _ context: RequestContext) -> Response {
        var response = answer(context)
        if let origin = request.text("origin") { response.allowCredentials(origin: origin) }
        // A token is for who asked, and for now.
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }

    private func answer(_ context: RequestContext) -> Response {
        let request = ChannelAuthRequest(context.request, limits: limits)
        // One text for all that is wrong with key and session: whoever guesses learns nothing.
        let unauthenticated = RelayRefusal.response(401, "A key and a session are needed.")
        guard let application = application(request), let token = request.sessionToken else {
            return unauthenticated
        }
        let now = Timestamp(millisecondsSinceEpoch: context.loop.now.wallMilliseconds)
        let user: Text
        do throws(DomainError) {
            user = try directory.userName(
                ofSession: token,
                in: application,
                loopIndex: context.loop.index,
                now: now
            )
        } catch {
            switch error.code {
            case .unauthenticated: return unauthenticated
            case .forbidden: return RelayRefusal.response(403, "Anonymous users get no token.")
            default: return RelayRefusal.response(503, "Try again later.")
            }
        }
        guard let channel = request.channel else {
            return RelayRefusal.response(400, "channel_name must be a channel's name.")
        }
        let jwt = JSONWebToken.sign(
            subject: channel,
            user: user.cut(toSentBytes: limits.userNameBytes),
            now: now,
            lifetimeSeconds: limits.tokenLifetimeSeconds,
            key: HMACKey(Array(application.relaySecret.utf8))
        )
        var body = Array(#"{"auth":"#.utf8)
        JSONWriter.append(string: jwt, to: &body)
        body.append(UInt8(ascii: "}"))
        return .json(body)
    }

    /// By the application key's header, or by `api_key` in the address: the relay key, as everywhere
    /// on the relay, or the application key.
    private func application(_ request: ChannelAuthRequest) -> Application? {
        if let key = request.applicationKey { return directory.application(applicationKey: key) }
        guard let key = request.relayKey else { return nil }
        return directory.application(relayKey: key) ?? directory.application(applicationKey: key)
    }
}
