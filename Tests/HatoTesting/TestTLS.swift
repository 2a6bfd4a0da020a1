import COpenSSL

/// A client's side of TLS over OpenSSL's own memory BIOs, so that a test decides which bytes travel.
///
/// Trusts every certificate; `peerName` tells which one came.
package final class TestTLS {
    package enum Version: CInt, Sendable {
        case one = 0x0301
        case oneOne = 0x0302
        case oneTwo = 0x0303
        case oneThree = 0x0304
    }

    private let context: OpaquePointer
    package let ssl: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer
    /// The peer's close_notify has come.
    package private(set) var isFinishedByPeer = false

    /// `protocols` are offered by ALPN, none when it is empty.
    package init(
        _ version: Version? = nil,
        protocols: [String] = ["http/1.1"],
        resuming session: Session? = nil
    ) throws {
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context),
            let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem())
        else { throw TestFailure.malformed("no TLS client") }
        self.context = context
        self.ssl = ssl
        self.input = input
        self.output = output
        if let version {
            // Old versions are below what the library gives of itself.
            SSL_set_security_level(ssl, 0)
            SSL_set_cipher_list(ssl, "ALL:@SECLEVEL=0")
            _ = SSL_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version.rawValue), nil)
            _ = SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version.rawValue), nil)
        }
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !list.isEmpty { SSL_set_alpn_protos(ssl, list, CUnsignedInt(list.count)) }
        if let session { SSL_set_session(ssl, session.pointer) }
        SSL_set_bio(ssl, input, output)
        SSL_set_connect_state(ssl)
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    // MARK: Bytes

    /// Takes bytes that came from the server.
    package func feed(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        BIO_write(input, bytes, CInt(bytes.count))
    }

    /// Returns the bytes that are to be sent.
    package func takeOutput() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = BIO_read(output, &buffer, CInt(buffer.count))
            guard count > 0 else { return bytes }
            bytes += buffer[..<Int(count)]
        }
    }

    /// Goes on with the handshake; true when it is over.
    ///
    /// Throws what the server's alert says.
    package func shakeHands() throws -> Bool {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return true }
        guard SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { throw failure() }
        return false
    }

    package func write(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        ERR_clear_error()
        guard SSL_write(ssl, bytes, CInt(bytes.count)) == CInt(bytes.count) else { throw failure() }
    }

    /// Appends what can be read now.
    package func read(into bytes: inout [UInt8]) throws {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !isFinishedByPeer {
            ERR_clear_error()
            let count = SSL_read(ssl, &buffer, CInt(buffer.count))
            if count > 0 {
                bytes += buffer[..<Int(count)]
                continue
            }
            switch SSL_get_error(ssl, count) {
            case SSL_ERROR_WANT_READ: return
            case SSL_ERROR_ZERO_RETURN: isFinishedByPeer = true
            default: throw failure()
            }
        }
    }

    /// Begins to renegotiate (TLS 1.2); false where that can't be.
    package func renegotiate() -> Bool {
        guard SSL_renegotiate(ssl) == 1 else { return false }
        return SSL_do_handshake(ssl) != 0
    }

    /// Says close_notify.
    package func finish() {
        SSL_shutdown(ssl)
    }

    // MARK: What was agreed

    package var version: String { String(cString: SSL_get_version(ssl)) }

    package var cipher: String {
        String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)))
    }

    /// The session that a later connection can resume.
    package func session() -> Session? {
        SSL_get1_session(ssl).map(Session.init)
    }

    package final class Session {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) {
            self.pointer = pointer
        }

        deinit {
            SSL_SESSION_free(pointer)
        }
    }

    package var wasResumed: Bool { SSL_session_reused(ssl) == 1 }

    package var agreedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: CUnsignedInt = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        guard let name else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// The common name in the server's certificate.
    package var peerName: String? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        var name = [CChar](repeating: 0, count: 256)
        X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, &name, 256)
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }

    /// The certificates that the server has sent.
    package var chainLength: Int {
        SSL_get_peer_cert_chain(ssl).map { Int(OPENSSL_sk_num($0)) } ?? 0
    }

    private func failure() -> TestFailure {
        let code = ERR_peek_error()
        let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
        return TestFailure.malformed("TLS: \(reason)")
    }
}
