import COpenSSL

/// A certificate with its key and all choices about the protocol: what new streams begin with.
///
/// Streams that began with one keep it. The keys of its session tickets are its own: a ticket is worth
/// something as long as the context that gave it takes new streams.
final class TLSContext: Sendable {
    // Constants. OpenSSL lets any thread make streams of a context that nobody changes any more.
    nonisolated(unsafe) let context: OpaquePointer
    nonisolated(unsafe) let method: OpaquePointer

    init(_ certificate: ServerCertificate) throws(TLSFailure) {
        ERR_clear_error()
        guard let method = MemoryBIO.makeMethod() else { throw .openSSL("no memory for TLS") }
        guard let context = SSL_CTX_new(TLS_server_method()) else {
            BIO_meth_free(method)
            throw .openSSL("cannot set up TLS")
        }
        self.method = method
        self.context = context
        guard hato_tls_harden(context) == 1 else { throw .openSSL("cannot set up TLS") }
        ApplicationProtocol.select(in: context)
        SSL_CTX_set_timeout(context, Self.ticketSeconds)
        try certificate.use(in: context)
    }

    deinit {
        // Streams hold their context: none is left.
        SSL_CTX_free(context)
        BIO_meth_free(method)
    }

    /// How long a client may resume a session.
    private static let ticketSeconds = 7_200
}
