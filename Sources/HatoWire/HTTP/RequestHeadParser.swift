/// Walks a request line and its field section (RFC 9112 2–5), one byte after the other, and notes
/// where things lie.
///
/// `bytes` is always the head from its first byte on, longer from call to call.
struct RequestHeadParser: Sendable {
    enum Event: Sendable {
        case needsMore
        case complete
        case failed(HTTPFailure)
    }

    private enum Phase: UInt8 {
        case method, target, version, fields
    }

    private var phase = Phase.method
    /// Where the next byte to look at lies; after `.complete`, the head's length.
    private(set) var position = 0
    private(set) var framing = MessageFraming()
    /// The `?` of an absolute form that has a query and no path; see `RequestParser`.
    private(set) var pathlessQuery: Int?
    private var targetStart = 0
    private var questionMark: Int?
    private var versionStart = 0
    private var fieldsStart = 0
    private var majorVersion: UInt8 = 0
    private var minorVersion: UInt8 = 0
    private var fieldLines = FieldLineParser()

    mutating func parse(
        _ bytes: Span<UInt8>,
        into request: inout HTTPRequest,
        limits: HTTPLimits
    ) -> Event {
        if phase != .fields {
            let event = parseRequestLine(bytes, &request, limits)
            guard case .complete = event else { return event }
        }
        return parseFields(bytes, &request, limits)
    }

    private mutating func parseRequestLine(
        _ bytes: Span<UInt8>,
        _ request: inout HTTPRequest,
        _ limits: HTTPLimits
    ) -> Event {
        // The line and its CRLF.
        let most = limits.requestLineBytes + 2
        let end = min(bytes.count, most)
        while position < end {
            let failure: HTTPFailure?
            switch phase {
            case .method: failure = parseMethod(bytes, end, &request)
            case .target: failure = parseTarget(bytes, end, &request)
            case .version: failure = parseVersion(bytes, end, &request)
            case .fields: return .complete
            }
            if let failure { return .failed(failure) }
        }
        if phase == .fields { return .complete }
        return position >= most ? .failed(.requestLineTooLong) : .needsMore
    }

    private mutating func parseMethod(
        _ bytes: Span<UInt8>,
        _ end: Int,
        _ request: inout HTTPRequest
    ) -> HTTPFailure? {
        position = HTTPByte.firstNonToken(bytes, from: position, to: end)
        guard position < end else { return nil }
        guard bytes[position] == HTTPByte.space, position > 0 else { return .malformedRequestLine }
        request.methodName = 0..<position
        request.method = HTTPMethod(bytes, request.methodName)
        // An origin does not tunnel, and an authority form is for CONNECT only.
        guard request.method != .connect else { return .methodNotImplemented }
        position &+= 1
        targetStart = position
        phase = .target
        return nil
    }

    private mutating func parseTarget(
        _ bytes: Span<UInt8>,
        _ end: Int,
        _ request: inout HTTPRequest
    ) -> HTTPFailure? {
        position = scanTarget(bytes, from: position, to: end)
        guard position < end else { return nil }
        guard bytes[position] == HTTPByte.space, position > targetStart else {
            return .malformedTarget
        }
        if let failure = resolveTarget(bytes, &request) { return failure }
        position &+= 1
        versionStart = position
        phase = .version
        return nil
    }

    /// Returns the first position whose byte is not a target's, and notes the first `?`.
    private mutating func scanTarget(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var at = start
        if questionMark == nil {
            at = HTTPByte.firstOutsideTarget(bytes, from: at, to: end, stopsAtQuery: true)
            guard at < end, bytes[at] == HTTPByte.questionMark else { return at }
            questionMark = at
        }
        return HTTPByte.firstOutsideTarget(bytes, from: at, to: end, stopsAtQuery: false)
    }

    /// `HTTP/1.1` CRLF.
    ///
    /// Another well-formed version is known only at the end of its line.
    private mutating func parseVersion(
        _ bytes: Span<UInt8>,
        _ end: Int,
        _ request: inout HTTPRequest
    ) -> HTTPFailure? {
        if skipVersion11(bytes, end, &request) { return nil }
        let name: StaticString = "HTTP/"
        while position < end {
            let byte = bytes[position]
            let index = position &- versionStart
            switch index {
            case 0..<5:
                guard byte == name.utf8Start[index] else { return .malformedRequestLine }
            case 5, 7:
                guard HTTPByte.isDigit(byte) else { return .malformedRequestLine }
                if index == 5 { majorVersion = byte &- 0x30 } else { minorVersion = byte &- 0x30 }
            case 6:
                guard byte == UInt8(ascii: ".") else { return .malformedRequestLine }
            case 8:
                guard byte == HTTPByte.carriageReturn else { return .malformedRequestLine }
            default:
                guard byte == HTTPByte.lineFeed else { return .malformedRequestLine }
                guard majorVersion == 1, minorVersion <= 1 else { return .versionNotSupported }
                request.minorVersion = Int(minorVersion)
                position &+= 1
                fieldsStart = position
                phase = .fields
                return nil
            }
            position &+= 1
        }
        return nil
    }

    /// Takes the whole of `HTTP/1.1` CRLF, or nothing.
    private mutating func skipVersion11(
        _ bytes: Span<UInt8>,
        _ end: Int,
        _ request: inout HTTPRequest
    ) -> Bool {
        guard position == versionStart, position &+ 10 <= end else { return false }
        // The bytes of `HTTP/1.1`, the first one lowest.
        guard HTTPByte.word(bytes, at: position) == 0x312E_312F_5054_5448,
            bytes[position &+ 8] == HTTPByte.carriageReturn,
            bytes[position &+ 9] == HTTPByte.lineFeed
        else { return false }
        request.minorVersion = 1
        position &+= 10
        fieldsStart = position
        phase = .fields
        return true
    }

    private mutating func parseFields(
        _ bytes: Span<UInt8>,
        _ request: inout HTTPRequest,
        _ limits: HTTPLimits
    ) -> Event {
        let end = min(bytes.count, fieldsStart + limits.fieldBytes)
        var at = position
        defer { position = at }
        while true {
            switch fieldLines.next(bytes, from: &at, to: end) {
            case .field:
                guard request.fields.count < limits.fieldCount else {
                    return .failed(.fieldsTooLarge)
                }
                let slot = fieldLines.slot(in: bytes)
                request.fields.append(slot)
                if let failure = framing.note(slot, in: bytes) { return .failed(failure) }
            case .needsMore:
                let isAtLimit = at - fieldsStart >= limits.fieldBytes
                return isAtLimit ? .failed(.fieldsTooLarge) : .needsMore
            case .malformed:
                return .failed(.malformedField)
            case .end:
                return finish(&request)
            }
        }
    }

    private func finish(_ request: inout HTTPRequest) -> Event {
        let minorVersion = request.minorVersion
        if let failure = framing.failure(minorVersion: minorVersion) { return .failed(failure) }
        request.keepsAlive = framing.keepsAlive(minorVersion: minorVersion)
        request.hasOrigin = framing.hasOrigin
        request.wantsUpgrade = framing.hasUpgrade && minorVersion == 1
        if request.authority == nil { request.authority = framing.authority }
        return .complete
    }
}

extension RequestHeadParser {
    /// Tells the forms of a target apart (RFC 9112 3.2) and notes its path and query.
    private mutating func resolveTarget(
        _ bytes: Span<UInt8>,
        _ request: inout HTTPRequest
    ) -> HTTPFailure? {
        let end = position
        if bytes[targetStart] == HTTPByte.slash {
            setTarget(from: targetStart, to: end, &request)
            return nil
        }
        if bytes[targetStart] == UInt8(ascii: "*") {
            guard end == targetStart + 1, request.method == .options else {
                return .malformedTarget
            }
            setTarget(from: targetStart, to: end, &request)
            return nil
        }
        return resolveAbsoluteForm(bytes, end, &request)
    }

    /// `http://authority[/path][?query]`.
    ///
    /// The authority replaces the Host field (RFC 9112 3.2.2).
    private mutating func resolveAbsoluteForm(
        _ bytes: Span<UInt8>,
        _ end: Int,
        _ request: inout HTTPRequest
    ) -> HTTPFailure? {
        var start = targetStart
        if HTTPByte.equalIgnoringCase(bytes, start..<min(start + 7, end), "http://") {
            start += 7
        } else if HTTPByte.equalIgnoringCase(bytes, start..<min(start + 8, end), "https://") {
            start += 8
        } else {
            return .malformedTarget
        }
        var stop = start
        while stop < end, bytes[stop] != HTTPByte.slash, bytes[stop] != HTTPByte.questionMark {
            stop += 1
        }
        guard Authority.isValid(bytes, start..<stop) else { return .malformedTarget }
        request.authority = start..<stop
        if stop == end {
            // No path means `/`: the second slash of `http://` serves.
            setTarget(from: start - 1, to: start, &request)
        } else if bytes[stop] == HTTPByte.slash {
            setTarget(from: stop, to: end, &request)
        } else {
            // `RequestParser` moves the authority one byte down and puts a slash before the `?`.
            pathlessQuery = stop
            request.authority = (start - 1)..<(stop - 1)
            setTarget(from: stop - 1, to: end, &request)
        }
        return nil
    }

    private func setTarget(from start: Int, to end: Int, _ request: inout HTTPRequest) {
        request.target = start..<end
        if let questionMark, questionMark >= start {
            request.path = start..<questionMark
            request.query = (questionMark + 1)..<end
        } else {
            request.path = start..<end
            request.query = nil
        }
    }
}
