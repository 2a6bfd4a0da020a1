package import HatoWire

/// What can go wrong in the domain; each edge translates the code once, in one table.
package struct DomainError: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable, CaseIterable {
        /// The text is not JSON, or breaks a limit of JSON (E400001).
        case malformedJSON
        /// A value has the wrong type (E400002).
        case invalidType
        /// A required item is missing or empty (E400003).
        case empty
        /// A name or value has the wrong format (E400004).
        case invalidFormat
        /// A value is not allowed there (E400005).
        case invalidValue
        /// The session or key is wrong (E401001).
        case unauthenticated
        /// User name and password do not fit (E401002).
        case wrongPassword
        /// ACL or class permission refuses (E403001).
        case forbidden
        /// The operation is not for this class (E403003).
        case prohibited
        /// The item or feature is not enabled, or not settable (E403005).
        case notEnabled
        /// A GeoPoint is out of range or in the wrong place (E403006).
        case invalidGeoPoint
        /// There is no such object (E404001).
        case notFound
        /// A unique value is taken (E409001).
        case duplicate
        /// The document is over a limit of size (E413002).
        case documentTooLarge
        /// A queue is full, the disk is full, the store is closing (E503001).
        case unavailable
        /// Too many attempts (E429002).
        case tooManyRequests
        /// Our own fault (E500001).
        case system
    }

    package var code: Code
    /// The field or item that the message names; never user data beyond a field's name.
    package var subject: Text
    /// For the log only: what lies behind `system` and `unavailable`.
    package var cause: String

    package init(_ code: Code, _ subject: Text = "", cause: String = "") {
        self.code = code
        self.subject = subject
        self.cause = cause
    }
}
