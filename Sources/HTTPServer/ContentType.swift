/// What an answer's body is.
package enum ContentType: Sendable, Hashable {
    case json
    /// UTF-8.
    case text
    /// UTF-8.
    case html
    case bytes
    /// A media type as it is written in the field, for instance a stored file's.
    case other(String)
}
