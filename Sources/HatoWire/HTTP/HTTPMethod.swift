/// A request method (RFC 9110 9).
///
/// Methods are case-sensitive: `get` is `other`.
package enum HTTPMethod: UInt8, Sendable, Hashable, CaseIterable {
    case get, head, post, put, delete, options, patch, connect, trace
    /// A well-formed token that is none of the above; the router answers 501 or 405.
    case other

    /// The method's text; empty for `other`, whose text only the request knows.
    package var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .connect: "CONNECT"
        case .trace: "TRACE"
        case .other: ""
        }
    }

    /// Recognises the token in `range` of `bytes`.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        self = .other
        switch range.count {
        case 3:
            if HTTPByte.equal(bytes, range, "GET") {
                self = .get
            } else if HTTPByte.equal(bytes, range, "PUT") {
                self = .put
            }
        case 4:
            if HTTPByte.equal(bytes, range, "POST") {
                self = .post
            } else if HTTPByte.equal(bytes, range, "HEAD") {
                self = .head
            }
        case 5:
            if HTTPByte.equal(bytes, range, "PATCH") {
                self = .patch
            } else if HTTPByte.equal(bytes, range, "TRACE") {
                self = .trace
            }
        case 6:
            if HTTPByte.equal(bytes, range, "DELETE") { self = .delete }
        case 7:
            if HTTPByte.equal(bytes, range, "OPTIONS") {
                self = .options
            } else if HTTPByte.equal(bytes, range, "CONNECT") {
                self = .connect
            }
        default:
            break
        }
    }
}
