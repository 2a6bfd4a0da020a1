/// Walks a field section, one field a call: `name ":" OWS value OWS CRLF`, and the empty line at
/// its end (RFC 9112 5).
///
/// It stops at the first byte that can't stand where it does, so that any split of the input meets
/// the same failure at the same byte. Folded lines, white space before the colon, bare CR and bare
/// LF are such bytes.
struct FieldLineParser: Sendable {
    enum Event: Sendable {
        case needsMore
        case field
        case end
        case malformed
    }

    private enum Phase: UInt8 {
        case lineStart, name, leadingSpace, value, lineFeed, sectionEnd
    }

    private var phase = Phase.lineStart
    /// Positions of the last field; they mean something only where every call sees one buffer.
    private(set) var nameStart = 0
    private(set) var nameEnd = 0
    private(set) var valueStart = 0
    private(set) var valueEnd = 0

    /// Advances over `bytes[position..<end]` to the end of the next field or of the section.
    ///
    /// `needsMore` means that every byte before `end` was taken.
    @inline(__always)
    mutating func next(_ bytes: Span<UInt8>, from position: inout Int, to end: Int) -> Event {
        if phase == .lineStart, takeWholeLine(bytes, from: &position, to: end) { return .field }
        return nextInPieces(bytes, from: &position, to: end)
    }

    /// Takes a line that lies in `bytes` as a whole; takes nothing of any other.
    @inline(__always)
    private mutating func takeWholeLine(
        _ bytes: Span<UInt8>,
        from position: inout Int,
        to end: Int
    ) -> Bool {
        let start = position
        let colon = HTTPByte.firstNonToken(bytes, from: start, to: end)
        guard colon > start, colon < end, bytes[colon] == HTTPByte.colon else { return false }
        var value = colon &+ 1
        while value < end, HTTPByte.isSpaceOrTab(bytes[value]) { value &+= 1 }
        let stop = HTTPByte.firstControl(bytes, from: value, to: end)
        guard stop &+ 1 < end, bytes[stop] == HTTPByte.carriageReturn,
            bytes[stop &+ 1] == HTTPByte.lineFeed
        else { return false }
        nameStart = start
        nameEnd = colon
        valueStart = value
        valueEnd = stop
        position = stop &+ 2
        return true
    }

    private mutating func nextInPieces(
        _ bytes: Span<UInt8>,
        from position: inout Int,
        to end: Int
    ) -> Event {
        while position < end {
            switch phase {
            case .lineStart:
                if bytes[position] == HTTPByte.carriageReturn {
                    phase = .sectionEnd
                    position &+= 1
                    continue
                }
                guard HTTPByte.isToken(bytes[position]) else { return .malformed }
                nameStart = position
                phase = .name
            case .name:
                position = HTTPByte.firstNonToken(bytes, from: position, to: end)
                guard position < end else { return .needsMore }
                guard bytes[position] == HTTPByte.colon else { return .malformed }
                nameEnd = position
                position &+= 1
                phase = .leadingSpace
            case .leadingSpace:
                while position < end, HTTPByte.isSpaceOrTab(bytes[position]) { position &+= 1 }
                guard position < end else { return .needsMore }
                valueStart = position
                phase = .value
            case .value:
                position = HTTPByte.firstControl(bytes, from: position, to: end)
                guard position < end else { return .needsMore }
                guard bytes[position] == HTTPByte.carriageReturn else { return .malformed }
                valueEnd = position
                position &+= 1
                phase = .lineFeed
            case .lineFeed:
                guard bytes[position] == HTTPByte.lineFeed else { return .malformed }
                position &+= 1
                phase = .lineStart
                return .field
            case .sectionEnd:
                guard bytes[position] == HTTPByte.lineFeed else { return .malformed }
                position &+= 1
                return .end
            }
        }
        return .needsMore
    }

    /// The last field's name and its value without the white space around it.
    @inline(__always)
    func slot(in bytes: Span<UInt8>) -> HTTPFieldSlot {
        var end = valueEnd
        while end > valueStart, HTTPByte.isSpaceOrTab(bytes[end &- 1]) { end &-= 1 }
        return HTTPFieldSlot(name: nameStart..<nameEnd, value: valueStart..<end)
    }
}
