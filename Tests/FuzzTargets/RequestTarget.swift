package import HatoWire

/// Requests: head, fixed and chunked body, one after the other on a connection.
package enum RequestTarget {
    /// Small, so that a fuzzer's inputs reach each of them.
    package static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.requestLineBytes = 256
        limits.fieldCount = 16
        limits.fieldBytes = 768
        limits.bodyBytes = 512
        limits.chunkExtensionBytes = 64
        limits.trailerBytes = 128
        return limits
    }()

    /// The input is a connection's bytes.
    static func checkHead(_ input: [UInt8]) throws {
        _ = try agreement(input)
    }

    /// The input follows the head of a chunked request.
    static func checkChunkedBody(_ input: [UInt8]) throws {
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        _ = try agreement(Array(head.utf8) + input)
    }

    /// Returns the requests of a connection, having seen that no split of its bytes changes them.
    package static func agreement(_ input: [UInt8]) throws -> RequestTrace {
        let whole = try RequestTrace(input, pieceSize: .max, limits: limits)
        for size in pieceSizes {
            for pauses in [false, true] {
                let trace = try RequestTrace(
                    input,
                    pieceSize: size,
                    limits: limits,
                    pausesBeforeBody: pauses
                )
                try hold(trace == whole, "pieces of \(size), pausing \(pauses), read otherwise")
            }
        }
        for request in whole.requests {
            try checkBounds(request)
            try checkRoundTrip(request)
        }
        return whole
    }

    private static func checkBounds(_ request: HTTPRequest) throws {
        let headBytes = limits.requestLineBytes + 2 + limits.fieldBytes
        try hold(request.head.count <= headBytes, "a head past its limits")
        try hold(request.fields.count <= limits.fieldCount, "more fields than the limit")
        try hold(request.body.count <= limits.bodyBytes, "a body past its limit")
        let target = request.rawTarget
        try hold(target.first == 0x2F || target.elementsEqual("*".utf8), "a target of no form")
        for slot in request.fields {
            let value = request.head[slot.value]
            let isClean = !value.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
            try hold(isClean, "a field's value holds a control character")
        }
        if request.minorVersion == 1 {
            try hold(request.count(of: "host") == 1, "HTTP/1.1 without one Host field")
        }
        let hasLength = request.count(of: "content-length") > 0
        try hold(
            !hasLength || request.count(of: "transfer-encoding") == 0,
            "two lengths of one body"
        )
    }

    /// Writes the request down again and reads it: the same must come out.
    private static func checkRoundTrip(_ request: HTTPRequest) throws {
        let bytes = encode(request)
        let again = try RequestTrace(bytes, pieceSize: .max, limits: limits)
        guard let copy = again.requests.first, again.requests.count == 1 else {
            throw Violation("a request that was written again is refused: \(again)")
        }
        try hold(copy.method == request.method, "another method")
        try hold(copy.minorVersion == request.minorVersion, "another version")
        try hold(copy.rawPath == request.rawPath, "another path")
        try hold(copy.rawQuery == request.rawQuery, "another query")
        try hold(copy.body == request.body, "another body")
        try hold(copy.keepsAlive == request.keepsAlive, "another life of the connection")
        try hold(copy.wantsUpgrade == request.wantsUpgrade, "another upgrade")
        try hold(copy.hasOrigin == request.hasOrigin, "another origin")
        try hold(RequestTrace.fields(copy) == RequestTrace.fields(request), "other fields")
    }

    private static func encode(_ request: HTTPRequest) -> [UInt8] {
        var bytes = Array(request.head[request.methodName]) + [0x20] + request.rawTarget
        bytes += Array(" HTTP/1.\(request.minorVersion)\r\n".utf8)
        for field in RequestTrace.fields(request) {
            bytes += field.name + [0x3A] + field.value + [13, 10]
        }
        bytes += [13, 10]
        guard request.count(of: "transfer-encoding") > 0 else { return bytes + request.body }
        let size = request.body.isEmpty ? "" : String(request.body.count, radix: 16) + "\r\n"
        bytes += Array(size.utf8) + request.body
        return bytes + Array((request.body.isEmpty ? "" : "\r\n").utf8) + Array("0\r\n\r\n".utf8)
    }
}

/// What a parser made of a connection's bytes.
package struct RequestTrace: Equatable {
    package private(set) var requests: [HTTPRequest] = []
    package private(set) var failure: HTTPFailure?
    /// Before which of the requests the client asked to go on.
    private(set) var continued: [Int] = []

    init(
        _ input: [UInt8],
        pieceSize: Int,
        limits: HTTPLimits,
        pausesBeforeBody: Bool = false
    ) throws {
        var parser = RequestParser(limits: limits, pausesBeforeBody: pausesBeforeBody)
        for piece in input.pieces(of: pieceSize) {
            var offset = 0
            reading: while true {
                switch parser.parse(piece.span, from: &offset) {
                case .needsMore:
                    try hold(offset == piece.count, "bytes are left though more are wanted")
                    break reading
                case .head: try hold(pausesBeforeBody, "a pause that nobody asked for")
                case .expectsContinue: continued.append(requests.count)
                case .request:
                    requests.append(parser.request)
                    parser.reset()
                case .failed(let failure):
                    self.failure = failure
                    return
                }
            }
        }
    }

    package static func == (left: RequestTrace, right: RequestTrace) -> Bool {
        left.failure == right.failure && left.continued == right.continued
            && left.requests.count == right.requests.count
            && zip(left.requests, right.requests).allSatisfy(areEqual)
    }

    private static func areEqual(_ left: HTTPRequest, _ right: HTTPRequest) -> Bool {
        left.head == right.head && left.target == right.target && left.path == right.path
            && left.query == right.query && left.authority == right.authority
            && left.fields == right.fields && left.body == right.body
            && left.methodName == right.methodName && left.method == right.method
            && left.minorVersion == right.minorVersion && left.keepsAlive == right.keepsAlive
            && left.hasOrigin == right.hasOrigin && left.wantsUpgrade == right.wantsUpgrade
    }

    /// The fields as bytes.
    static func fields(_ request: HTTPRequest) -> [FieldBytes] {
        request.fields.map {
            FieldBytes(name: Array(request.head[$0.name]), value: Array(request.head[$0.value]))
        }
    }

    struct FieldBytes: Equatable {
        let name: [UInt8]
        let value: [UInt8]
    }
}
