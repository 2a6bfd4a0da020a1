import EventLoops
import HatoWire

/// The head of the last answer, which is very often also the next one's.
///
/// Answers without fields of their own differ, within a second, in status, type and length only: an
/// answer that agrees in these with the one before costs one copy of its head.
struct RenderedHead: ~Copyable {
    /// All that such a head depends on.
    private struct Cause: Equatable {
        let seconds: Int64
        let status: Int
        let contentType: ContentType?
        let length: Int
        let terms: HTTPLoop.HeadTerms
    }

    private var bytes: [UInt8] = []
    /// nil when `bytes` hold what no other answer may say.
    private var cause: Cause?
    private var dateLine: [UInt8] = []
    private var dateSeconds = Int64.min

    /// A head beyond this size gives its storage back with the next one.
    private static let keptBytes = 16_384

    /// Makes `bytes` the head of `response`, said at `seconds` since 1970.
    mutating func render(
        _ response: borrowing Response,
        _ terms: HTTPLoop.HeadTerms,
        _ crossOrigin: CrossOriginPolicy?,
        seconds: Int64
    ) {
        let cause = Cause(
            seconds: seconds,
            status: response.status,
            contentType: response.contentType,
            length: response.body.count,
            terms: terms
        )
        guard self.cause != cause || !response.headers.isEmpty else { return }
        self.cause = response.headers.isEmpty ? cause : nil
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytes)
        ResponseHead.append(status: response.status, to: &bytes)
        appendDate(seconds)
        if let type = response.contentType {
            append(type)
        }
        if response.status != 204 && response.status != 304 {
            ResponseHead.append(contentLength: response.body.count, to: &bytes)
        }
        for (name, value) in response.headers {
            _ = ResponseHead.append(name: name, value: value, to: &bytes)
        }
        if terms.hasOrigin, let crossOrigin, !response.namesOrigin {
            append(crossOrigin)
        }
        if terms.closes {
            ResponseHead.append(field: "Connection", "close", to: &bytes)
        } else if terms.keptAlive {
            ResponseHead.append(field: "Connection", "keep-alive", to: &bytes)
        }
        ResponseHead.end(&bytes)
    }

    /// Queues these bytes and a copy of `body` behind them.
    func send(with body: Span<UInt8>, on connection: Connection) {
        connection.send(copying: bytes.span, body)
    }

    private mutating func appendDate(_ seconds: Int64) {
        if seconds != dateSeconds {
            dateSeconds = seconds
            dateLine.removeAll(keepingCapacity: true)
            ResponseHead.append(dateSecondsSinceEpoch: seconds, to: &dateLine)
        }
        bytes.append(contentsOf: dateLine)
    }

    private mutating func append(_ policy: CrossOriginPolicy) {
        ResponseHead.append(field: "Access-Control-Allow-Origin", "*", to: &bytes)
        _ = ResponseHead.append(
            name: "Access-Control-Expose-Headers",
            value: policy.exposedHeaders,
            to: &bytes
        )
    }

    private mutating func append(_ type: ContentType) {
        switch type {
        case .json:
            bytes.append(literal: "Content-Type: application/json\r\n")
        case .text:
            bytes.append(literal: "Content-Type: text/plain; charset=utf-8\r\n")
        case .html:
            bytes.append(literal: "Content-Type: text/html; charset=utf-8\r\n")
        case .bytes:
            bytes.append(literal: "Content-Type: application/octet-stream\r\n")
        }
    }
}
