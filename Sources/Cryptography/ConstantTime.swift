import COpenSSL

/// Comparison of secrets without a clock telling where they differ.
package enum ConstantTime {
    /// Whether the two are equal; the time depends on the lengths only.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { first in
            right.withUnsafeBytes { second in
                guard let start = first.baseAddress, let other = second.baseAddress else {
                    return true
                }
                return CRYPTO_memcmp(start, other, first.count) == 0
            }
        }
    }
}
