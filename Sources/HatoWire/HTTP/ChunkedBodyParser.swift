/// Takes the chunked coding off a body (RFC 9112 7.1).
///
/// Sizes, extensions and line ends are read to the letter, since what two readers of one connection
/// see differently is a smuggled request.
struct ChunkedBodyParser: Sendable {
    enum Event: Sendable {
        case needsMore
        case complete
        case failed(HTTPFailure)
    }

    private enum Phase: UInt8 {
        case sizeStart, size, sizeLineFeed
        case data, dataCarriageReturn, dataLineFeed
        case trailer
    }

    /// Hexadecimal digits of a chunk size, leading zeros included.
    private static let sizeDigitLimit = 16

    private var phase = Phase.sizeStart
    /// The size being read, then the bytes of the chunk still to come.
    private var remaining = 0
    private var sizeDigitCount = 0
    private var extensionByteCount = 0
    private var trailerByteCount = 0
    private var trailerFieldCount = 0
    private var extensions = ChunkExtensionParser()
    private var trailer = FieldLineParser()

    /// Appends the data of the chunks in `input` from `position` on to `body`.
    mutating func parse(
        _ input: Span<UInt8>,
        from position: inout Int,
        into body: inout [UInt8],
        bodyLimitBytes: Int,
        limits: HTTPLimits
    ) -> Event {
        while position < input.count {
            switch phase {
            case .data:
                takeData(input, from: &position, into: &body)
            case .trailer:
                return parseTrailer(input, from: &position, limits)
            default:
                let room = bodyLimitBytes - body.count
                if let failure = parseLine(input[position], room, limits) {
                    return .failed(failure)
                }
                position &+= 1
            }
        }
        return .needsMore
    }

    private mutating func takeData(
        _ input: Span<UInt8>,
        from position: inout Int,
        into body: inout [UInt8]
    ) {
        let count = min(remaining, input.count &- position)
        body.append(copying: input.extracting(position..<position &+ count))
        position &+= count
        remaining &-= count
        if remaining == 0 { phase = .dataCarriageReturn }
    }

    /// Takes one byte of a chunk's size line or of the line end after its data.
    private mutating func parseLine(
        _ byte: UInt8,
        _ room: Int,
        _ limits: HTTPLimits
    ) -> HTTPFailure? {
        switch phase {
        case .sizeStart:
            guard HTTPByte.hexValue(byte) != nil else { return .malformedChunk }
            remaining = 0
            sizeDigitCount = 0
            extensions = ChunkExtensionParser()
            phase = .size
            return takeSizeDigit(byte, room)
        case .size:
            if extensions.isUntouched, HTTPByte.hexValue(byte) != nil {
                return takeSizeDigit(byte, room)
            }
            if byte == HTTPByte.carriageReturn {
                guard extensions.mayEnd else { return .malformedChunk }
                phase = .sizeLineFeed
                return nil
            }
            extensionByteCount += 1
            guard extensionByteCount <= limits.chunkExtensionBytes, extensions.accept(byte) else {
                return .malformedChunk
            }
        case .sizeLineFeed:
            guard byte == HTTPByte.lineFeed else { return .malformedChunk }
            phase = remaining == 0 ? .trailer : .data
        case .dataCarriageReturn:
            guard byte == HTTPByte.carriageReturn else { return .malformedChunk }
            phase = .dataLineFeed
        case .dataLineFeed:
            guard byte == HTTPByte.lineFeed else { return .malformedChunk }
            phase = .sizeStart
        case .data, .trailer:
            preconditionFailure("a chunk's data and the trailer are not read by the byte")
        }
        return nil
    }

    private mutating func takeSizeDigit(_ byte: UInt8, _ room: Int) -> HTTPFailure? {
        guard let digit = HTTPByte.hexValue(byte), sizeDigitCount < Self.sizeDigitLimit else {
            return .malformedChunk
        }
        sizeDigitCount += 1
        let (shifted, overflows) = remaining.multipliedReportingOverflow(by: 16)
        guard !overflows, shifted <= room &- Int(digit) else { return .bodyTooLarge }
        remaining = shifted + Int(digit)
        return nil
    }

    /// Reads the trailer by the rules of fields and drops it: nothing in it may frame or route.
    private mutating func parseTrailer(
        _ input: Span<UInt8>,
        from position: inout Int,
        _ limits: HTTPLimits
    ) -> Event {
        let start = position
        let end = min(input.count, start + (limits.trailerBytes - trailerByteCount))
        while true {
            switch trailer.next(input, from: &position, to: end) {
            case .field:
                trailerFieldCount += 1
                guard trailerFieldCount <= limits.fieldCount else {
                    return .failed(.fieldsTooLarge)
                }
            case .needsMore:
                trailerByteCount += position - start
                let isAtLimit = trailerByteCount >= limits.trailerBytes
                return isAtLimit ? .failed(.fieldsTooLarge) : .needsMore
            case .malformed:
                return .failed(.malformedField)
            case .end:
                return .complete
            }
        }
    }
}
