package import HatoWire

/// The numbers and choices of an HTTP server.
package struct HTTPConfiguration: Sendable {
    /// What one request may cost.
    package var limits = HTTPLimits()
    /// From the accept, or from a request's first byte, to the end of its head; past it 408.
    package var headDeadline: Duration = .seconds(10)
    /// From the end of the head to the end of the body, in all; past it 408.
    package var bodyDeadline: Duration = .seconds(30)
    /// Between an answer and the next request's first byte; past it the connection closes.
    package var idleDeadline: Duration = .seconds(75)
    /// A pipelining client's requests wait while more bytes than this wait to be written.
    package var pipelineMarkBytes = 131_072
    /// Bodies above this leave without being copied into the head's buffer.
    package var gatheredBodyBytes = 16_384
    /// When the server stops, how long an idle connection may still bring a request on its way.
    package var stopGrace: Duration = .milliseconds(100)
    /// Between two pings on a WebSocket; it is dropped when two in a row bring nothing back.
    package var pingInterval: Duration = .seconds(25)
    /// How long a WebSocket's closing handshake may take.
    package var closeTimeout: Duration = .seconds(5)
    /// Lets browsers of every origin read answers.
    package var crossOrigin: CrossOriginPolicy? = CrossOriginPolicy()
    /// Packs answers that may be packed; nil sends all as they are.
    package var gzip: GzipPolicy?
    /// Makes the answer to a request that no handler gets to see.
    package var renderFailure: @Sendable (RequestFailure) -> Response = { failure in
        .text(failure.reason + "\n", status: failure.status)
    }

    package init() {}
}

/// The CORS answers: any origin, no credentials (keys travel in headers, never in cookies).
package struct CrossOriginPolicy: Sendable {
    /// Answer fields that scripts may read besides the safelisted ones; a token list.
    package var exposedHeaders = "X-NCMB-Response-Signature"
    /// Seconds that a browser may keep a preflight's answer.
    package var maxAgeSeconds = 86_400

    package init() {}
}
