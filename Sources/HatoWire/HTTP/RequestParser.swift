/// Turns the bytes of a connection into requests (RFC 9112), one `.request` after the other.
///
/// Bytes go in as they come, in any split; the parser takes those of one message and stops right
/// behind it, so that pipelined requests wait in the input until `reset()`. It is strict: what RFC
/// 9112 lets a server read in two ways is refused. After `.failed` the connection can only be closed.
package struct RequestParser: Sendable {
    package enum Step: Sendable, Equatable {
        /// Every byte of the input was taken and the message is not whole.
        case needsMore
        /// Only with `pausesBeforeBody`: the head is whole and a body follows. `bodyLimitBytes` may
        /// be set now; then parse on from the same offset.
        case head
        /// The client waits for `100 Continue`; answer it, or a final status and close. Parse on.
        case expectsContinue
        /// `request` is whole.
        case request
        /// Answer with the failure's status and close.
        case failed(HTTPFailure)
    }

    private enum Stage {
        case leadingLine, leadingLineFeed
        case head
        case bodyPause, bodyStart, fixedBody, chunkedBody
        case complete
        case failed(HTTPFailure)
    }

    package let limits: HTTPLimits
    /// Stop with `.head` before a body, so that a route may set its own limit.
    package let pausesBeforeBody: Bool
    /// The limit for this message's body; `reset()` sets it back to `limits.bodyBytes`.
    package var bodyLimitBytes: Int
    /// The message: its head after `.head` and `.expectsContinue`, the whole after `.request`.
    package private(set) var request = HTTPRequest()

    private var stage = Stage.leadingLine
    private var emptyLineCount = 0
    private var headParser = RequestHeadParser()
    private var remainingBodyBytes = 0
    private var chunkedBody = ChunkedBodyParser()

    package init(limits: HTTPLimits = HTTPLimits(), pausesBeforeBody: Bool = false) {
        self.limits = limits
        self.pausesBeforeBody = pausesBeforeBody
        self.bodyLimitBytes = limits.bodyBytes
    }

    /// Takes bytes of `input` from `offset` on and moves `offset` behind them.
    package mutating func parse(_ input: Span<UInt8>, from offset: inout Int) -> Step {
        while true {
            switch stage {
            case .leadingLine, .leadingLineFeed:
                guard skipEmptyLines(input, from: &offset) else { return .needsMore }
            case .head:
                if let step = parseHead(input, from: &offset) { return step }
            case .bodyPause:
                stage = .bodyStart
                return .head
            case .bodyStart:
                if let step = startBody() { return step }
            case .fixedBody:
                return takeFixedBody(input, from: &offset)
            case .chunkedBody:
                return parseChunkedBody(input, from: &offset)
            case .complete:
                return .request
            case .failed(let failure):
                return .failed(failure)
            }
        }
    }

    /// Begins the next message.
    ///
    /// The storage of the last one is used again unless somebody holds it.
    package mutating func reset() {
        request.reset()
        bodyLimitBytes = limits.bodyBytes
        stage = .leadingLine
        emptyLineCount = 0
        headParser = RequestHeadParser()
        remainingBodyBytes = 0
        chunkedBody = ChunkedBodyParser()
    }

    /// No byte of a message has been seen yet: the keep-alive deadline counts, not the head's.
    package var isIdle: Bool {
        switch stage {
        case .leadingLine, .leadingLineFeed: true
        default: false
        }
    }

    /// The head is whole and the body is not: the body's deadline counts.
    package var isInBody: Bool {
        switch stage {
        case .bodyPause, .bodyStart, .fixedBody, .chunkedBody: true
        default: false
        }
    }

    private mutating func fail(_ failure: HTTPFailure) -> Step {
        stage = .failed(failure)
        return .failed(failure)
    }

    /// Skips empty lines before a request line (RFC 9112 2.2); false when the input ends in them.
    private mutating func skipEmptyLines(_ input: Span<UInt8>, from offset: inout Int) -> Bool {
        while offset < input.count {
            if case .leadingLineFeed = stage {
                guard input[offset] == HTTPByte.lineFeed else {
                    stage = .failed(.malformedRequestLine)
                    return true
                }
                stage = .leadingLine
            } else if input[offset] == HTTPByte.carriageReturn {
                emptyLineCount += 1
                guard emptyLineCount <= limits.leadingEmptyLineCount else {
                    stage = .failed(.tooManyEmptyLines)
                    return true
                }
                stage = .leadingLineFeed
            } else {
                stage = .head
                return true
            }
            offset += 1
        }
        return false
    }
}

extension RequestParser {
    /// Parses a head that lies in the input as a whole where it lies, and copies it once.
    ///
    /// One that comes in pieces is gathered in `request.head` and parsed there. Returns nil to go
    /// on.
    private mutating func parseHead(_ input: Span<UInt8>, from offset: inout Int) -> Step? {
        let rest = input.extracting(offset..<input.count)
        let event: RequestHeadParser.Event
        if request.head.isEmpty {
            event = headParser.parse(rest, into: &request, limits: limits)
            if case .complete = event {
                request.head.append(copying: rest.extracting(0..<headParser.position))
                offset += headParser.position
            } else {
                request.head.append(copying: rest)
                offset = input.count
            }
        } else {
            let gathered = request.head.count
            var head: [UInt8] = []
            swap(&head, &request.head)
            head.append(copying: rest)
            event = headParser.parse(head.span, into: &request, limits: limits)
            offset += rest.count
            if case .complete = event {
                offset = offset - rest.count + headParser.position - gathered
                head.removeLast(head.count - headParser.position)
            }
            swap(&head, &request.head)
        }
        switch event {
        case .needsMore: return .needsMore
        case .failed(let failure): return fail(failure)
        case .complete: return finishHead()
        }
    }

    private mutating func finishHead() -> Step? {
        if let questionMark = headParser.pathlessQuery { insertPath(before: questionMark) }
        let framing = headParser.framing
        guard framing.isChunked || (framing.contentLength ?? 0) > 0 else {
            stage = .complete
            return .request
        }
        stage = pausesBeforeBody ? .bodyPause : .bodyStart
        return nil
    }

    /// `http://host?query` becomes `http:/host/?query`, of the same length.
    private mutating func insertPath(before questionMark: Int) {
        guard let authority = request.authority else { return }
        for position in authority { request.head[position] = request.head[position + 1] }
        request.head[questionMark - 1] = HTTPByte.slash
    }

    private mutating func startBody() -> Step? {
        let framing = headParser.framing
        if let length = framing.contentLength {
            guard length <= bodyLimitBytes else { return fail(.bodyTooLarge) }
            remainingBodyBytes = length
            stage = .fixedBody
        } else {
            stage = .chunkedBody
        }
        return framing.expectsContinue && request.minorVersion == 1 ? .expectsContinue : nil
    }

    private mutating func takeFixedBody(_ input: Span<UInt8>, from offset: inout Int) -> Step {
        let count = min(remainingBodyBytes, input.count - offset)
        request.body.append(copying: input.extracting(offset..<offset + count))
        offset += count
        remainingBodyBytes -= count
        guard remainingBodyBytes == 0 else { return .needsMore }
        stage = .complete
        return .request
    }

    private mutating func parseChunkedBody(_ input: Span<UInt8>, from offset: inout Int) -> Step {
        let event = chunkedBody.parse(
            input,
            from: &offset,
            into: &request.body,
            bodyLimitBytes: bodyLimitBytes,
            limits: limits
        )
        switch event {
        case .needsMore:
            return .needsMore
        case .failed(let failure):
            return fail(failure)
        case .complete:
            stage = .complete
            return .request
        }
    }
}
