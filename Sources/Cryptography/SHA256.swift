import COpenSSL

/// SHA-256 (FIPS 180-4) over OpenSSL.
package enum SHA256 {
    package static let digestCount = 32

    /// Returns the 32 bytes of the digest of `bytes`; empty input is legal.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var state = SHA256State()
        state.update(bytes)
        return state.finish()
    }

    /// Returns the digest of the text's UTF-8, as session tokens are kept.
    package static func digest(of text: String) -> [UInt8] {
        digest(of: Array(text.utf8))
    }
}

/// A running SHA-256: a plain value, so that a copy goes on from where the original stands.
struct SHA256State: Sendable {
    private var context = SHA256_CTX()

    init() {
        // Fails only for a null pointer.
        _ = SHA256_Init(&context)
    }

    mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, !buffer.isEmpty else { return }
            _ = SHA256_Update(&context, start, buffer.count)
        }
    }

    consuming func finish() -> [UInt8] {
        var context = context
        return [UInt8](unsafeUninitializedCapacity: SHA256.digestCount) { buffer, count in
            _ = SHA256_Final(buffer.baseAddress, &context)
            count = SHA256.digestCount
        }
    }
}
