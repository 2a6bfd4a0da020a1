/// The grammar of chunk extensions (RFC 9112 7.1.1), a byte at a time: `*( BWS ";" BWS name [ BWS
/// "=" BWS ( token / quoted-string ) ] )`.
///
/// What they say is ignored.
struct ChunkExtensionParser: Sendable {
    private enum Phase: UInt8 {
        case untouched, spaceBeforeSemicolon
        case nameStart, name, spaceAfterName
        case valueStart, value
        case quoted, quotedPair, quotedEnd
    }

    private var phase = Phase.untouched

    /// No byte has been taken: the size's digits may go on.
    var isUntouched: Bool { phase == .untouched }

    /// The line may end here.
    var mayEnd: Bool {
        switch phase {
        case .untouched, .name, .value, .quotedEnd: true
        case .spaceBeforeSemicolon, .nameStart, .spaceAfterName, .valueStart, .quoted, .quotedPair:
            false
        }
    }

    /// Takes a byte; says whether it may stand where it does.
    mutating func accept(_ byte: UInt8) -> Bool {
        switch phase {
        case .untouched, .quotedEnd:
            return between(byte)
        case .spaceBeforeSemicolon:
            if HTTPByte.isSpaceOrTab(byte) { return true }
            return byte == HTTPByte.semicolon && enter(.nameStart)
        case .nameStart:
            if HTTPByte.isSpaceOrTab(byte) { return true }
            return HTTPByte.isToken(byte) && enter(.name)
        case .name:
            if HTTPByte.isToken(byte) { return true }
            if HTTPByte.isSpaceOrTab(byte) { return enter(.spaceAfterName) }
            return afterName(byte)
        case .spaceAfterName:
            return HTTPByte.isSpaceOrTab(byte) || afterName(byte)
        case .valueStart:
            if HTTPByte.isSpaceOrTab(byte) { return true }
            if byte == HTTPByte.quote { return enter(.quoted) }
            return HTTPByte.isToken(byte) && enter(.value)
        case .value:
            return HTTPByte.isToken(byte) || between(byte)
        case .quoted:
            if byte == HTTPByte.quote { return enter(.quotedEnd) }
            if byte == HTTPByte.backslash { return enter(.quotedPair) }
            return isText(byte)
        case .quotedPair:
            return isText(byte) && enter(.quoted)
        }
    }

    private mutating func between(_ byte: UInt8) -> Bool {
        if HTTPByte.isSpaceOrTab(byte) { return enter(.spaceBeforeSemicolon) }
        return byte == HTTPByte.semicolon && enter(.nameStart)
    }

    private mutating func afterName(_ byte: UInt8) -> Bool {
        if byte == HTTPByte.equals { return enter(.valueStart) }
        return byte == HTTPByte.semicolon && enter(.nameStart)
    }

    private mutating func enter(_ next: Phase) -> Bool {
        phase = next
        return true
    }

    private func isText(_ byte: UInt8) -> Bool {
        byte == HTTPByte.tab || (byte >= HTTPByte.space && byte != 0x7F)
    }
}
