/// What an answer's body is, where that is known when the server is built.
///
/// Another media type, for instance a stored file's, is a header of the answer.
package enum ContentType: Sendable, Hashable {
    case json
    /// UTF-8.
    case text
    /// UTF-8.
    case html
    case bytes
}
