import COpenSSL

/// Why there is no TLS: one sentence for the operator that names the file, never its contents.
package struct TLSFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    /// `what`, and what OpenSSL says about it.
    static func openSSL(_ what: String) -> TLSFailure {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else { return TLSFailure(what) }
        return TLSFailure(what + ": " + String(cString: reason))
    }
}
