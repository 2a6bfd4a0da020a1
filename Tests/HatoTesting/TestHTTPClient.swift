/// A raw HTTP/1.1 client on one connection: sends exactly the bytes that a test wants to send.
///
/// Blocking, for one thread at a time. Requests can be pipelined: send many, then receive many.
package final class TestHTTPClient {
    package let socket: TestSocket
    private let limit: Duration
    /// What was received and not yet taken, from `start`.
    private var buffer: [UInt8] = []
    private var start = 0

    package init(
        port: Int,
        host: String = "127.0.0.1",
        receiveBufferBytes: Int? = nil,
        tls: TestTLS? = nil,
        within limit: Duration = Deadline.usual
    ) throws {
        self.limit = limit
        self.socket = try TestSocket(
            port: port,
            host: host,
            receiveBufferBytes: receiveBufferBytes,
            tls: tls,
            within: limit
        )
    }

    // MARK: Sending

    package func send(_ bytes: [UInt8]) throws {
        try socket.send(bytes, within: limit)
    }

    /// Sends text as it stands; lines end in `\r\n` only if the caller wrote so.
    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends a request with `Host`, and `Content-Length` when there is a body.
    package func send(
        _ method: String,
        _ target: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) throws {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        try send(Array((head + "\r\n").utf8) + (body ?? []))
    }

    /// Sends a request and returns its answer.
    package func request(
        _ method: String,
        _ target: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) throws -> TestHTTPResponse {
        try send(method, target, headers: headers, body: body)
        return try response(toHead: method == "HEAD")
    }

    /// The same with a text as body.
    package func request(
        _ method: String,
        _ target: String,
        headers: [(String, String)] = [],
        text: String
    ) throws -> TestHTTPResponse {
        try request(method, target, headers: headers, body: Array(text.utf8))
    }

    package func finishSending() { socket.finishSending() }

    package func close() { socket.close() }

    /// Closes with a RST.
    package func reset() { socket.reset() }

    // MARK: Receiving

    /// Returns the next answer, an interim one (1xx) included.
    ///
    /// `toHead`: the request was a HEAD, so no body follows whatever the head says.
    package func response(toHead: Bool = false) throws -> TestHTTPResponse {
        var response = try head()
        let hasBody =
            !toHead && response.status >= 200 && response.status != 204 && response.status != 304
        guard hasBody else { return response }
        if response["Transfer-Encoding"]?.lowercased() == "chunked" {
            response.body = try chunks()
        } else if let length = response["Content-Length"] {
            guard let count = Int(length), count >= 0 else {
                throw TestFailure.malformed("Content-Length \(length)")
            }
            response.body = try bytes(count)
        } else {
            response.body = try bytesToEnd()
        }
        return response
    }

    /// Returns exactly `count` bytes.
    package func bytes(_ count: Int) throws -> [UInt8] {
        try fill("\(count) bytes") { $0.count >= count }
        return take(count)
    }

    /// Returns everything up to the peer's FIN.
    package func bytesToEnd() throws -> [UInt8] {
        let deadline = Deadline(limit)
        while try socket.receive(into: &buffer, awaiting: "the end of the stream", within: deadline)
        {}
        return take(buffer.count - start)
    }

    /// Whether the peer has closed and nothing is left to read; waits for it until the deadline.
    ///
    /// A reset counts as closed.
    package func isClosedByPeer() throws -> Bool {
        do {
            return try bytesToEnd().isEmpty
        } catch TestFailure.system(call: "recv", _) {
            return true
        }
    }

    // MARK: Parts

    private func head() throws -> TestHTTPResponse {
        let end: [UInt8] = [13, 10, 13, 10]
        var searched = 0
        var found: Int?
        try fill("a response head") { bytes in
            let from = max(0, searched - 3)
            found = bytes.dropFirst(from).firstRange(of: end).map {
                $0.upperBound - bytes.startIndex
            }
            searched = bytes.count
            return found != nil
        }
        guard let found else { throw TestFailure.ended("a response head") }
        let text = String(decoding: take(found), as: UTF8.self)
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
        guard let first = lines.popFirst() else { throw TestFailure.malformed("an empty head") }
        let parts = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else {
            throw TestFailure.malformed("the status line \(first)")
        }
        let headers = try lines.map { line in
            guard let colon = line.firstIndex(of: ":") else {
                throw TestFailure.malformed("the field \(line)")
            }
            return (name: String(line[..<colon]), value: trimmed(line[line.index(after: colon)...]))
        }
        return TestHTTPResponse(
            version: String(parts[0]),
            status: status,
            reason: parts.count > 2 ? String(parts[2]) : "",
            headers: headers,
            body: []
        )
    }

    private func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let size = try line()
            guard let count = Int(size.split(separator: ";").first ?? "", radix: 16) else {
                throw TestFailure.malformed("the chunk size \(size)")
            }
            if count == 0 { break }
            body += try bytes(count)
            guard try line().isEmpty else { throw TestFailure.malformed("a chunk without its end") }
        }
        while try !line().isEmpty {}
        return body
    }

    private func line() throws -> String {
        var end: Int?
        try fill("a line") { bytes in
            end = bytes.firstRange(of: [13, 10]).map { $0.lowerBound - bytes.startIndex }
            return end != nil
        }
        guard let end else { throw TestFailure.ended("a line") }
        return String(decoding: take(end + 2).dropLast(2), as: UTF8.self)
    }

    private func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }

    /// Receives until `isEnough` says so of the bytes not yet taken.
    private func fill(_ what: String, _ isEnough: (ArraySlice<UInt8>) -> Bool) throws {
        let deadline = Deadline(limit)
        while !isEnough(buffer[start...]) {
            guard try socket.receive(into: &buffer, awaiting: what, within: deadline) else {
                throw TestFailure.ended(what)
            }
        }
    }

    private func take(_ count: Int) -> [UInt8] {
        let taken = Array(buffer[start..<start + count])
        start += count
        if start == buffer.count || start > 1 << 20 {
            buffer.removeFirst(start)
            start = 0
        }
        return taken
    }
}
