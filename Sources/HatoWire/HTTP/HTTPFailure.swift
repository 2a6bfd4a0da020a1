/// Why a message was refused.
///
/// The framing of what follows can't be trusted, so that the connection closes after the answer,
/// whichever it is.
package enum HTTPFailure: Error, Sendable, Hashable, CaseIterable {
    case malformedRequestLine
    case malformedTarget
    case malformedField
    case badHost
    case badContentLength
    case badTransferEncoding
    case malformedChunk
    case tooManyEmptyLines
    case bodyTooLarge
    case requestLineTooLong
    case expectationUnknown
    case fieldsTooLarge
    case methodNotImplemented
    case codingNotImplemented
    case versionNotSupported

    /// The status code to answer.
    package var status: Int {
        switch self {
        case .malformedRequestLine, .malformedTarget, .malformedField, .badHost, .badContentLength,
            .badTransferEncoding, .malformedChunk, .tooManyEmptyLines:
            400
        case .bodyTooLarge: 413
        case .requestLineTooLong: 414
        case .expectationUnknown: 417
        case .fieldsTooLarge: 431
        case .methodNotImplemented, .codingNotImplemented: 501
        case .versionNotSupported: 505
        }
    }

    /// A sentence for the answer's body and the log; it holds nothing of the request.
    package var reason: StaticString {
        switch self {
        case .malformedRequestLine: "The request line is malformed."
        case .malformedTarget: "The request target is malformed."
        case .malformedField: "A header field is malformed."
        case .badHost: "The Host field is missing, repeated or malformed."
        case .badContentLength: "The Content-Length field is repeated or malformed."
        case .badTransferEncoding: "The Transfer-Encoding field leaves the body's length in doubt."
        case .malformedChunk: "The chunked body is malformed."
        case .tooManyEmptyLines: "Too many empty lines precede the request."
        case .bodyTooLarge: "The body is too large."
        case .requestLineTooLong: "The request line is too long."
        case .expectationUnknown: "The expectation is unknown."
        case .fieldsTooLarge: "The header fields are too large or too many."
        case .methodNotImplemented: "The method is not implemented."
        case .codingNotImplemented: "The transfer coding is not implemented."
        case .versionNotSupported: "The HTTP version is not supported."
        }
    }
}
