import COpenSSL
import Glibc

/// A certificate, the chain behind it, and its key, as two PEM files hold them.
final class ServerCertificate {
    let certificateMark: PEMFile.Mark
    let keyMark: PEMFile.Mark
    /// What an operator should hear of: an expired certificate, a key that others may read.
    let warnings: [String]
    private let chain: Chain
    private let key: Key

    /// The server's own certificate first, then those that vouch for it.
    private final class Chain {
        var certificates: [OpaquePointer] = []

        deinit {
            for certificate in certificates { X509_free(certificate) }
        }
    }

    private final class Key {
        let key: OpaquePointer

        init(key: OpaquePointer) {
            self.key = key
        }

        deinit {
            EVP_PKEY_free(key)
        }
    }

    /// Errors: a file that can't be read, holds nothing of the kind, or does not fit the other.
    init(certificate: String, key: String) throws(TLSFailure) {
        ERR_clear_error()
        let chainFile = try PEMFile(certificate)
        let keyFile = try PEMFile(key)
        chain = try Self.readChain(chainFile, name: certificate)
        self.key = try Self.readKey(keyFile, name: key)
        certificateMark = chainFile.mark
        keyMark = keyFile.mark
        guard X509_check_private_key(chain.certificates[0], self.key.key) == 1 else {
            throw .openSSL("the key in \(key) is not that of the certificate in \(certificate)")
        }
        var warnings: [String] = []
        if X509_cmp_current_time(X509_get0_notAfter(chain.certificates[0])) < 0 {
            warnings.append("the certificate in \(certificate) has expired")
        }
        if X509_cmp_current_time(X509_get0_notBefore(chain.certificates[0])) > 0 {
            warnings.append("the certificate in \(certificate) is not valid yet")
        }
        if keyFile.isReadableByOthers {
            warnings.append("everybody on this machine may read the key in \(key)")
        }
        self.warnings = warnings
    }

    /// Has `context` use it; the context holds references of its own.
    func use(in context: OpaquePointer) throws(TLSFailure) {
        guard SSL_CTX_use_certificate(context, chain.certificates[0]) == 1 else {
            throw .openSSL("the certificate cannot be used")
        }
        for certificate in chain.certificates.dropFirst() {
            X509_up_ref(certificate)
            guard hato_tls_add_chain(context, certificate) == 1 else {
                X509_free(certificate)
                throw .openSSL("the certificates behind the first cannot be used")
            }
        }
        guard SSL_CTX_use_PrivateKey(context, key.key) == 1 else {
            throw .openSSL("the key cannot be used")
        }
    }

    private static func readChain(
        _ file: PEMFile,
        name: String
    ) throws(TLSFailure) -> Chain {
        let chain = Chain()
        try file.withReader { reader in
            while let certificate = PEM_read_bio_X509(reader, nil, refusePassword, nil) {
                chain.certificates.append(certificate)
            }
        }
        guard hato_pem_is_at_end() == 1, !chain.certificates.isEmpty else {
            throw .openSSL("\(name) is no certificate in PEM")
        }
        ERR_clear_error()
        return chain
    }

    private static func readKey(_ file: PEMFile, name: String) throws(TLSFailure) -> Key {
        let key = try file.withReader { reader in
            PEM_read_bio_PrivateKey(reader, nil, refusePassword, nil)
        }
        guard let key else {
            throw .openSSL("\(name) is no key in PEM that can be read without a password")
        }
        return Key(key: key)
    }
}

/// Instead of OpenSSL's own, which asks on the terminal.
private func refusePassword(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ count: CInt,
    _ isForWriting: CInt,
    _ user: UnsafeMutableRawPointer?
) -> CInt {
    -1
}
