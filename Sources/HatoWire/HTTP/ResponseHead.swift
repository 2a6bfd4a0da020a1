/// Writes the head of an answer into a buffer, allocating nothing but the buffer's growth:
/// the status line, then fields in any order, then `end`.
package enum ResponseHead {
    /// Appends `HTTP/1.1 200 OK` CRLF.
    ///
    /// A server always says its own version (RFC 9110 6.2).
    package static func append(status: Int, to output: inout [UInt8]) {
        if let line = usualStatusLine(status) {
            output.append(literal: line)
            return
        }
        output.append(literal: "HTTP/1.1 ")
        append(number: status, to: &output)
        output.append(HTTPByte.space)
        output.append(literal: reasonPhrase(status))
        output.append(literal: "\r\n")
    }

    /// Appends a field whose name and value are literals of ours.
    package static func append(
        field name: StaticString,
        _ value: StaticString,
        to output: inout [UInt8]
    ) {
        output.append(literal: name)
        output.append(literal: ": ")
        output.append(literal: value)
        output.append(literal: "\r\n")
    }

    /// Appends a field, or nothing.
    ///
    /// False says that the name is no token or that the value holds CR, LF, NUL or another control,
    /// by which a client could write fields or answers of its own.
    package static func append(
        name: String,
        value: String,
        to output: inout [UInt8]
    ) -> Bool {
        let mark = output.count
        output.append(contentsOf: name.utf8)
        let nameEnd = output.count
        output.append(literal: ": ")
        let valueStart = output.count
        output.append(contentsOf: value.utf8)
        guard isWritable(output.span, mark, nameEnd, valueStart) else {
            output.removeLast(output.count - mark)
            return false
        }
        output.append(literal: "\r\n")
        return true
    }

    /// Appends a field with a value of bytes, or nothing; see `append(name:value:to:)`.
    package static func append(
        name: StaticString,
        value: ArraySlice<UInt8>,
        to output: inout [UInt8]
    ) -> Bool {
        guard HTTPByte.firstControl(value.span, from: 0, to: value.count) == value.count else {
            return false
        }
        output.append(literal: name)
        output.append(literal: ": ")
        output.append(contentsOf: value)
        output.append(literal: "\r\n")
        return true
    }

    /// Appends `Content-Length`.
    package static func append(contentLength: Int, to output: inout [UInt8]) {
        output.append(literal: "Content-Length: ")
        append(number: contentLength, to: &output)
        output.append(literal: "\r\n")
    }

    /// Appends `Date`.
    ///
    /// A server that caches the line by the second has less to do.
    package static func append(dateSecondsSinceEpoch seconds: Int64, to output: inout [UInt8]) {
        output.append(literal: "Date: ")
        HTTPDate.append(secondsSinceEpoch: seconds, to: &output)
        output.append(literal: "\r\n")
    }

    /// Appends the empty line.
    package static func end(_ output: inout [UInt8]) {
        output.append(literal: "\r\n")
    }

    /// Appends the interim answer to `Expect: 100-continue`, as a whole.
    package static func appendContinue(to output: inout [UInt8]) {
        append(status: 100, to: &output)
        end(&output)
    }

    /// Appends a number that is not negative, in decimal.
    package static func append(number: Int, to output: inout [UInt8]) {
        var rest = UInt64(max(number, 0))
        guard rest < 100_000_000 else {
            append(number: number / 100_000_000, to: &output)
            rest %= 100_000_000
            for divisor in [10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1] as [UInt64] {
                output.append(UInt8(truncatingIfNeeded: 0x30 + rest / divisor % 10))
            }
            return
        }
        // Eight digits fit into a word, the first one lowest.
        var digits: UInt64 = 0
        repeat {
            digits = digits << 8 | (0x30 + rest % 10)
            rest /= 10
        } while rest > 0
        while digits > 0 {
            output.append(UInt8(truncatingIfNeeded: digits))
            digits >>= 8
        }
    }

    /// The lines that nearly every answer begins with, ready to copy.
    private static func usualStatusLine(_ status: Int) -> StaticString? {
        switch status {
        case 200: "HTTP/1.1 200 OK\r\n"
        case 201: "HTTP/1.1 201 Created\r\n"
        case 404: "HTTP/1.1 404 Not Found\r\n"
        default: nil
        }
    }

    private static func isWritable(
        _ bytes: Span<UInt8>,
        _ nameStart: Int,
        _ nameEnd: Int,
        _ valueStart: Int
    ) -> Bool {
        guard nameStart < nameEnd else { return false }
        for position in nameStart..<nameEnd where !HTTPByte.isToken(bytes[position]) {
            return false
        }
        return HTTPByte.firstControl(bytes, from: valueStart, to: bytes.count) == bytes.count
    }
}

extension ResponseHead {
    /// Returns the phrase of RFC 9110 15 for a status code; empty for one that we do not send.
    package static func reasonPhrase(_ status: Int) -> StaticString {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400..<500: clientErrorPhrase(status)
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: ""
        }
    }

    private static func clientErrorPhrase(_ status: Int) -> StaticString {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        default: ""
        }
    }
}
