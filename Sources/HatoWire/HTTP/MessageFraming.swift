/// What the fields of a head say about its message's length and its connection (RFC 9112 6 and 9).
///
/// Whatever could be read in two ways is refused: request smuggling lives on such readings.
struct MessageFraming: Sendable {
    private(set) var hasHost = false
    private(set) var authority: Range<Int>?
    /// Saturates at `Int.max`.
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private(set) var saysClose = false
    private(set) var saysKeepAlive = false
    private(set) var expectsContinue = false
    private(set) var hasUnknownExpectation = false
    private(set) var hasUpgrade = false
    private(set) var hasOrigin = false

    /// Takes note of one field; returns why it can't stand.
    @inline(__always)
    mutating func note(_ slot: HTTPFieldSlot, in bytes: Span<UInt8>) -> HTTPFailure? {
        switch slot.name.count {
        case 4 where HTTPByte.equalIgnoringCase(bytes, slot.name, "host"):
            noteHost(slot.value, bytes)
        case 6 where HTTPByte.equalIgnoringCase(bytes, slot.name, "expect"):
            noteExpectation(slot.value, bytes)
        case 6 where HTTPByte.equalIgnoringCase(bytes, slot.name, "origin"):
            noteOrigin()
        case 7 where HTTPByte.equalIgnoringCase(bytes, slot.name, "upgrade"):
            noteUpgrade()
        case 10 where HTTPByte.equalIgnoringCase(bytes, slot.name, "connection"):
            noteConnection(slot.value, bytes)
        case 14 where HTTPByte.equalIgnoringCase(bytes, slot.name, "content-length"):
            noteContentLength(slot.value, bytes)
        case 17 where HTTPByte.equalIgnoringCase(bytes, slot.name, "transfer-encoding"):
            noteTransferEncoding(slot.value, bytes)
        default:
            nil
        }
    }

    /// Returns why the head as a whole can't stand.
    func failure(minorVersion: Int) -> HTTPFailure? {
        if minorVersion == 1, !hasHost { return .badHost }
        if isChunked, minorVersion == 0 || contentLength != nil { return .badTransferEncoding }
        // An expectation in HTTP/1.0 is ignored (RFC 9110 10.1.1).
        if hasUnknownExpectation, minorVersion == 1 { return .expectationUnknown }
        return nil
    }

    func keepsAlive(minorVersion: Int) -> Bool {
        !saysClose && (minorVersion == 1 || saysKeepAlive)
    }

    private mutating func noteHost(_ range: Range<Int>, _ bytes: Span<UInt8>) -> HTTPFailure? {
        guard !hasHost, range.isEmpty || Authority.isValid(bytes, range) else { return .badHost }
        hasHost = true
        authority = range
        return nil
    }

    private mutating func noteExpectation(
        _ range: Range<Int>,
        _ bytes: Span<UInt8>
    ) -> HTTPFailure? {
        if HTTPByte.equalIgnoringCase(bytes, range, "100-continue") {
            expectsContinue = true
        } else {
            hasUnknownExpectation = true
        }
        return nil
    }

    private mutating func noteUpgrade() -> HTTPFailure? {
        hasUpgrade = true
        return nil
    }

    private mutating func noteOrigin() -> HTTPFailure? {
        hasOrigin = true
        return nil
    }

    private mutating func noteConnection(
        _ range: Range<Int>,
        _ bytes: Span<UInt8>
    ) -> HTTPFailure? {
        // The usual value, which needs no list taken apart.
        if HTTPByte.equalIgnoringCase(bytes, range, "keep-alive") {
            saysKeepAlive = true
            return nil
        }
        var position = range.lowerBound
        while let option = FieldList.next(bytes, &position, range.upperBound) {
            if HTTPByte.equalIgnoringCase(bytes, option, "close") {
                saysClose = true
            } else if HTTPByte.equalIgnoringCase(bytes, option, "keep-alive") {
                saysKeepAlive = true
            }
        }
        return nil
    }

    /// Digits only, once only: RFC 9112 6.3 would allow equal repetitions, no client needs them.
    private mutating func noteContentLength(
        _ range: Range<Int>,
        _ bytes: Span<UInt8>
    ) -> HTTPFailure? {
        guard contentLength == nil, !range.isEmpty else { return .badContentLength }
        var length = 0
        for position in range {
            guard HTTPByte.isDigit(bytes[position]) else { return .badContentLength }
            let digit = Int(bytes[position] &- 0x30)
            let (tenfold, overflows) = length.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tenfold.addingReportingOverflow(digit)
            length = overflows || overflowsToo ? Int.max : sum
        }
        contentLength = length
        return nil
    }

    /// `chunked`, once.
    ///
    /// Another coding under it is 501; anything else leaves the length in doubt.
    private mutating func noteTransferEncoding(
        _ range: Range<Int>,
        _ bytes: Span<UInt8>
    ) -> HTTPFailure? {
        guard !isChunked else { return .badTransferEncoding }
        if HTTPByte.equalIgnoringCase(bytes, range, "chunked") {
            isChunked = true
            return nil
        }
        var position = range.lowerBound
        var count = 0
        var chunkedCount = 0
        var isLastChunked = false
        while let coding = FieldList.next(bytes, &position, range.upperBound) {
            for index in coding where !HTTPByte.isToken(bytes[index]) {
                return .badTransferEncoding
            }
            isLastChunked = HTTPByte.equalIgnoringCase(bytes, coding, "chunked")
            chunkedCount += isLastChunked ? 1 : 0
            count += 1
        }
        // `chunked,` and the like are no stranger codings but odd spellings: refused as well.
        let isUnknownCoding = isLastChunked && chunkedCount == 1 && count > 1
        return isUnknownCoding ? .codingNotImplemented : .badTransferEncoding
    }
}
