import HatoWire

/// The opening handshake; the input is the fields behind `GET` and `Host`.
enum HandshakeTarget {
    static func check(_ input: [UInt8]) throws {
        let head = Array("GET /v3/room HTTP/1.1\r\nHost: a\r\n".utf8)
        for request in try RequestTarget.agreement(head + input + [13, 10, 13, 10]).requests {
            try check(request)
        }
    }

    private static func check(_ request: HTTPRequest) throws {
        let subprotocols = WebSocketHandshake.subprotocols(request)
        try hold(subprotocols.allSatisfy { !$0.isEmpty }, "an empty subprotocol")
        guard case .accept(let acceptKey) = WebSocketHandshake.check(request) else {
            try checkRefusal(request)
            return
        }
        try hold(request.body.isEmpty && request.method == .get, "a handshake of no GET")
        try hold(Base64.decode(acceptKey.utf8)?.count == 20, "an answer of no SHA-1")
        let key = request.value("sec-websocket-key").flatMap { Base64.decode($0) }
        try hold(key?.count == 16, "a key of no 16 bytes")
        for subprotocol in subprotocols.map({ Optional($0) }) + [nil] {
            var answer: [UInt8] = []
            let isAnswered = WebSocketHandshake.appendAcceptance(
                acceptKey: acceptKey,
                subprotocol: subprotocol,
                to: &answer
            )
            try hold(isAnswered != answer.isEmpty, "an answer that is half there")
            // Nothing that the client sent may begin a line of the answer.
            let lineCount = answer.count { $0 == 0x0A }
            let wanted = subprotocol == nil ? 5 : 6
            try hold(!isAnswered || lineCount == wanted, "an answer of \(lineCount) lines")
        }
    }

    private static func checkRefusal(_ request: HTTPRequest) throws {
        guard case .refuse(let refusal) = WebSocketHandshake.check(request) else {
            throw Violation("a second look judges otherwise")
        }
        try hold((400...499).contains(refusal.status), "a refusal without a status")
        for field in refusal.fields {
            try hold(field.name.utf8CodeUnitCount > 0, "a field without a name")
        }
    }
}
