import COpenSSL

/// The client's side for a server that asks itself how it is: any certificate is taken.
package enum TLSProbe {
    /// Shakes hands on a connected socket that blocks, sends `request` and returns what came first.
    ///
    /// nil when there was no TLS or no answer. How long it waits is the socket's to say (SO_RCVTIMEO).
    package static func exchange(_ request: [UInt8], on socket: CInt) -> [UInt8]? {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
        defer { SSL_CTX_free(context) }
        guard let ssl = SSL_new(context) else { return nil }
        defer { SSL_free(ssl) }
        defer { ERR_clear_error() }
        var answer = [UInt8](repeating: 0, count: 4_096)
        var count = 0
        guard SSL_set_fd(ssl, socket) == 1, SSL_connect(ssl) == 1,
            SSL_write_ex(ssl, request, request.count, &count) == 1,
            SSL_read_ex(ssl, &answer, answer.count, &count) == 1
        else { return nil }
        return Array(answer[..<count])
    }
}
