package import HatoWire
package import ObjectModel

/// An error as NCMB says it: `{"code":"E404001","error":"No data available."}` (ncmb-rest §5).
///
/// The status is the code's first three digits. Both members are always strings: SDKs insist.
package struct NCMBError: Error, Sendable, Equatable {
    package let code: String
    package let message: Text

    package init(_ code: String, _ message: Text) {
        self.code = code
        self.message = message
    }

    package var status: Int {
        Int(code.dropFirst().prefix(3)) ?? 500
    }

    /// Appends the error's JSON.
    package func append(to output: inout [UInt8]) {
        JSONWriter.append(literal: #"{"code":""#, to: &output)
        output.append(contentsOf: code.utf8)
        JSONWriter.append(literal: #"","error":"#, to: &output)
        JSONWriter.append(string: message, to: &output)
        output.append(0x7D)
    }
}

// MARK: - The one table of the domain's errors

extension NCMBError {
    package init(_ error: DomainError) {
        let subject = error.subject
        switch error.code {
        case .malformedJSON: self.init("E400001", "JSON is invalid format.")
        case .invalidType: self.init("E400002", subject, "is invalid.")
        case .empty: self.init("E400003", subject, "is empty.")
        case .invalidFormat: self.init("E400004", subject, "is invalid format.")
        case .invalidValue: self.init("E400005", subject, "is not a valid value.")
        case .unauthenticated:
            self.init("E401001", "Authentication error by header incorrect.")
        case .wrongPassword:
            self.init("E401002", "Authentication error with ID/PASS incorrect.")
        case .forbidden: self.init("E403001", "No access with ACL.")
        case .prohibited: self.init("E403003", "Operation that are prohibited.")
        case .notEnabled: self.init("E403005", subject, "must not be entered.")
        case .invalidGeoPoint: self.init("E403006", "Invalid GeoPoint value.")
        case .notFound: self.init("E404001", "No data available.")
        case .duplicate: self.init("E409001", subject, "is duplication.")
        case .documentTooLarge: self.init("E413002", "Document size Limit error.")
        case .tooManyRequests: self.init("E429002", "Too many requests.")
        case .unavailable: self.init("E503001", "Service unavailable.")
        case .system: self.init("E500001", "System error.")
        }
    }

    private init(_ code: String, _ subject: Text, _ rest: String) {
        let subject = subject.utf8.isEmpty ? "Value" : subject.string
        self.init(code, Text(subject + " " + rest))
    }
}

// MARK: - Errors of the protocol's edge

extension NCMBError {
    package static let noService = NCMBError("E404002", "None service.")
    package static let noApplication = NCMBError("E404005", "No such application.")
    package static let methodNotAllowed = NCMBError("E405001", "Method not allowed.")
    package static let unsupportedMediaType = NCMBError("E415001", "Unsupported media type.")

    /// Returns the error for a failure below the routes, by its status.
    ///
    /// NCMB names codes for few of them; the others follow its pattern `E` status `000`.
    package init(httpStatus status: Int) {
        switch status {
        case 400: self.init("E400000", "Bad Request.")
        case 404: self = .noService
        case 405: self = .methodNotAllowed
        case 413: self.init("E413001", "File size Limit error.")
        case 414: self.init("E414000", "Request URI is too long.")
        case 415: self = .unsupportedMediaType
        case 429: self.init("E429002", "Too many requests.")
        case 500: self.init("E500001", "System error.")
        case 503: self.init("E503001", "Service unavailable.")
        default:
            let known = (400...599).contains(status) ? status : 500
            self.init("E\(known)000", known < 500 ? "Bad Request." : "System error.")
        }
    }
}
