/// What one message may cost (rulings 8).
///
/// Every limit is inclusive: a message at the limit passes.
package struct HTTPLimits: Sendable, Hashable {
    /// Bytes of the request line without its CRLF.
    ///
    /// Past it: 414.
    package var requestLineBytes = 65_536
    /// Fields of the head.
    ///
    /// Past it: 431.
    package var fieldCount = 100
    /// Bytes of the head's field section, the closing empty line included.
    ///
    /// Past it: 431.
    package var fieldBytes = 65_536
    /// Bytes of the body once its framing is taken off.
    ///
    /// Past it: 413, before anything is allocated.
    package var bodyBytes = 10_485_760
    /// Bytes of all chunk extensions of one message together.
    ///
    /// Past it: 400.
    package var chunkExtensionBytes = 4_096
    /// Bytes of the trailer section, the closing empty line included.
    ///
    /// Past it: 431.
    package var trailerBytes = 8_192
    /// Empty lines skipped before a request line (RFC 9112 2.2).
    ///
    /// Past it: 400.
    package var leadingEmptyLineCount = 4

    package init() {}
}
