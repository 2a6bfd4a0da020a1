import HatoWire
import Testing

/// How a request parser ended, in values that compare.
enum Outcome: Equatable, CustomStringConvertible {
    /// Whole; `rest` is what was left of the input.
    case request(Summary, rest: [UInt8])
    case failed(HTTPFailure)
    case needsMore(isIdle: Bool, isInBody: Bool)

    struct Summary: Equatable {
        var method: HTTPMethod
        var minorVersion: Int
        var target: [UInt8]
        var path: [UInt8]
        var query: [UInt8]?
        var authority: [UInt8]?
        var fields: [[UInt8]]
        var body: [UInt8]
        var keepsAlive: Bool
        var wantsUpgrade: Bool
    }

    var description: String {
        switch self {
        case .request(let summary, let rest):
            "request \(summary.method) \(String(decoding: summary.target, as: UTF8.self)), "
                + "body \(summary.body.count), rest \(rest.count)"
        case .failed(let failure): "failed \(failure)"
        case .needsMore(let isIdle, let isInBody): "needsMore idle \(isIdle) body \(isInBody)"
        }
    }

    var failure: HTTPFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    var summary: Summary? {
        if case .request(let summary, _) = self { summary } else { nil }
    }
}

extension HTTPRequest {
    var summary: Outcome.Summary {
        Outcome.Summary(
            method: method,
            minorVersion: minorVersion,
            target: Array(rawTarget),
            path: Array(rawPath),
            query: rawQuery.map(Array.init),
            authority: rawAuthority.map(Array.init),
            fields: fields.map { Array(head[$0.name]) + [0x3A] + Array(head[$0.value]) },
            body: body,
            keepsAlive: keepsAlive,
            wantsUpgrade: wantsUpgrade
        )
    }
}

/// Feeds `bytes` in pieces of the sizes that `nextSize` gives, until a step ends the message.
func outcome(
    of bytes: [UInt8],
    limits: HTTPLimits = HTTPLimits(),
    nextSize: () -> Int
) -> Outcome {
    var parser = RequestParser(limits: limits)
    var fed = 0
    while fed < bytes.count {
        let piece = Array(bytes[fed..<min(fed + max(nextSize(), 1), bytes.count)])
        var offset = 0
        repeat {
            switch parser.parse(piece.span, from: &offset) {
            case .request:
                return .request(parser.request.summary, rest: Array(bytes[(fed + offset)...]))
            case .failed(let failure):
                return .failed(failure)
            case .needsMore, .head, .expectsContinue:
                continue
            }
        } while offset < piece.count
        fed += piece.count
    }
    return .needsMore(isIdle: parser.isIdle, isInBody: parser.isInBody)
}

/// Says how a request parser ends on `text`, having made sure that no split changes it.
func steadyOutcome(of text: String, limits: HTTPLimits = HTTPLimits()) -> Outcome {
    steadyOutcome(of: Array(text.utf8), limits: limits)
}

func steadyOutcome(of bytes: [UInt8], limits: HTTPLimits = HTTPLimits()) -> Outcome {
    let whole = outcome(of: bytes, limits: limits) { Int.max / 2 }
    let byByte = outcome(of: bytes, limits: limits) { 1 }
    #expect(byByte == whole)
    let cut = max(bytes.count / 2, 1)
    #expect(outcome(of: bytes, limits: limits) { cut } == whole)
    return whole
}

/// A GET with these field lines, each with its CRLF, and a Host.
func get(_ fields: String, version: String = "HTTP/1.1") -> String {
    "GET / \(version)\r\nHost: a\r\n\(fields)\r\n"
}

/// A POST with these field lines, each with its CRLF, a Host and a body.
func post(_ fields: String, _ body: String, version: String = "HTTP/1.1") -> String {
    "POST / \(version)\r\nHost: a\r\n\(fields)\r\n\(body)"
}

/// Feeds `bytes` from `offset` on and expects the step that this makes.
func expectStep(
    _ step: RequestParser.Step,
    of parser: inout RequestParser,
    on bytes: [UInt8],
    from offset: inout Int,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let made = parser.parse(bytes.span, from: &offset)
    #expect(made == step, sourceLocation: sourceLocation)
}
