/// A key of HMAC-SHA256 (RFC 2104) with its key schedule done.
///
/// Keeps the two states of SHA-256 after the padded key, so that a code costs the hash of the message
/// and two blocks: a request's signature is well under a microsecond. A value; any thread.
package struct HMACKey: Sendable {
    private static let blockCount = 64

    private let inner: SHA256State
    private let outer: SHA256State

    /// Takes the key's bytes; any length, the empty key included.
    package init(_ key: [UInt8]) {
        var block = key.count > HMACKey.blockCount ? SHA256.digest(of: key) : key
        block.append(contentsOf: repeatElement(0, count: HMACKey.blockCount - block.count))
        var inner = SHA256State()
        var outer = SHA256State()
        let innerBlock = block.map { $0 ^ 0x36 }
        let outerBlock = block.map { $0 ^ 0x5C }
        inner.update(innerBlock)
        outer.update(outerBlock)
        self.inner = inner
        self.outer = outer
    }

    /// Returns the 32 bytes of the message's code.
    package func code(of message: [UInt8]) -> [UInt8] {
        var state = inner
        state.update(message)
        let digest = state.finish()
        state = outer
        state.update(digest)
        return state.finish()
    }

    /// Whether `code` is the message's, compared in constant time.
    package func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        ConstantTime.areEqual(code, self.code(of: message))
    }
}
