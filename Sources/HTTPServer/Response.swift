package import Telemetry

/// One answer: what a handler decides; the session adds Date, length, connection and CORS fields.
package struct Response: Sendable {
    /// 200 to 599.
    ///
    /// A 204 or 304 carries no body whatever `body` holds.
    package var status: Int
    /// nil writes no Content-Type.
    package var contentType: ContentType?
    /// Further fields in order.
    ///
    /// One whose name or value could break the head is left out.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// What was taken for the body of the memory that all answers have; goes where the body goes.
    package var room: ByteReservation?
    /// Lets the body leave as gzip.
    ///
    /// Only where nothing in it is secret: the length of what is packed tells how much of it repeats
    /// what somebody else could put into it (BREACH).
    package var mayBeCompressed: Bool
    /// Closes the connection after this answer.
    package var closesConnection: Bool

    package init(
        status: Int,
        contentType: ContentType? = nil,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        mayBeCompressed: Bool = false,
        closesConnection: Bool = false
    ) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
        self.mayBeCompressed = mayBeCompressed
        self.closesConnection = closesConnection
    }

    /// Whether it says itself which origin's pages may read it.
    var namesOrigin: Bool {
        headers.contains { $0.name == "Access-Control-Allow-Origin" }
    }

    /// Lets pages of `origin` read it although they ask with credentials; those of others not.
    ///
    /// Only for what no cookie opens.
    package mutating func allowCredentials(origin: String) {
        headers.append(("Access-Control-Allow-Origin", origin))
        headers.append(("Access-Control-Allow-Credentials", "true"))
        headers.append(("Vary", "Origin"))
    }

    /// Returns an answer whose body is JSON text.
    package static func json(_ body: [UInt8], status: Int = 200) -> Response {
        Response(status: status, contentType: .json, body: body)
    }

    /// Returns an answer whose body is plain text.
    package static func text(_ body: String, status: Int = 200) -> Response {
        Response(status: status, contentType: .text, body: Array(body.utf8))
    }
}
