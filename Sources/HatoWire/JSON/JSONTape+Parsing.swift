// How it works: one loop, no recursion. While a container is open, its entry's `next` holds the
// index of the container around it and its `end` that container's number of members so far; both get
// their final meaning when it closes. So the tape is its own stack.

extension JSONTape {
    /// Parses one JSON text by RFC 8259, strictly: valid UTF-8, no byte order mark, no duplicate
    /// names, nothing behind the value.
    ///
    /// After an error the tape is empty.
    package mutating func parse(
        _ bytes: Span<UInt8>,
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) {
        entries.removeAll(keepingCapacity: entries.capacity <= JSONTape.keptEntryCount)
        guard bytes.count <= limits.textBytes else { throw JSONError(.tooManyBytes, at: 0) }
        if entries.capacity == 0 {
            entries.reserveCapacity(min(bytes.count / 8 &+ 4, limits.entryCount, 4_096))
        }
        do {
            try parseText(bytes, limits: limits)
        } catch {
            entries.removeAll(keepingCapacity: true)
            throw error
        }
    }

    private mutating func parseText(_ bytes: Span<UInt8>, limits: JSONLimits) throws(JSONError) {
        var state = State(position: JSONTape.skipSpace(bytes, from: 0))
        if state.position < bytes.count, bytes[state.position] == 0xEF {
            throw JSONError(.byteOrderMark, at: state.position)
        }
        repeat {
            let opened = try parseValue(bytes, &state, limits: limits)
            if !opened { try closeOrContinue(bytes, &state, limits: limits) }
        } while state.depth > 0
        let end = JSONTape.skipSpace(bytes, from: state.position)
        guard end == bytes.count else { throw JSONError(.trailingText, at: end) }
    }

    /// Where the parser is: the next byte, and the innermost open container; `depth` 0 means none.
    private struct State {
        var position: Int
        var depth = 0
        var index = 0
        var isObject = false
        var memberCount = 0

        init(position: Int) {
            self.position = position
        }
    }

    /// Parses a value; returns whether it opened a container and stands before its first child's value.
    @inline(__always)
    private mutating func parseValue(
        _ bytes: Span<UInt8>,
        _ state: inout State,
        limits: JSONLimits
    ) throws(JSONError) -> Bool {
        let start = state.position
        guard start < bytes.count else { throw JSONError(.unexpectedEnd, at: start) }
        // A value and the name before it are counted together.
        guard entries.count < limits.entryCount else { throw JSONError(.tooManyValues, at: start) }
        switch bytes[start] {
        case 0x22:
            var hasEscapes = false
            let end = try JSONStringScanner.end(bytes, from: start &+ 1, hasEscapes: &hasEscapes)
            append(.string, start: start &+ 1, end: end, hasEscapes: hasEscapes)
            state.position = end &+ 1
        case 0x7B, 0x5B:
            return try openContainer(bytes, &state, limits: limits)
        case 0x2D, 0x30...0x39:
            let end = try JSONNumberScanner.end(bytes, from: start, limitBytes: limits.numberBytes)
            append(.number, start: start, end: end)
            state.position = end
        case 0x74: state.position = try appendLiteral(.true, "true", bytes, at: start)
        case 0x66: state.position = try appendLiteral(.false, "false", bytes, at: start)
        case 0x6E: state.position = try appendLiteral(.null, "null", bytes, at: start)
        default: throw JSONError(.unexpectedByte, at: start)
        }
        return false
    }

    private mutating func openContainer(
        _ bytes: Span<UInt8>,
        _ state: inout State,
        limits: JSONLimits
    ) throws(JSONError) -> Bool {
        let start = state.position
        guard state.depth < limits.depth else { throw JSONError(.tooDeep, at: start) }
        let isObject = bytes[start] == 0x7B
        let index = entries.count
        append(isObject ? .object : .array, start: start, end: 0)
        state.position = JSONTape.skipSpace(bytes, from: start &+ 1)
        guard state.position < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        if bytes[state.position] == (isObject ? 0x7D : 0x5D) {
            state.position &+= 1
            entries[index].end = UInt32(truncatingIfNeeded: state.position)
            return false
        }
        entries[index].next = UInt32(truncatingIfNeeded: state.index)
        entries[index].end = UInt32(truncatingIfNeeded: state.memberCount)
        state.index = index
        state.depth &+= 1
        state.isObject = isObject
        state.memberCount = 0
        if isObject { try parseName(bytes, &state) }
        return true
    }

    /// After a value: goes to the next child's value, or closes containers as long as they end.
    @inline(__always)
    private mutating func closeOrContinue(
        _ bytes: Span<UInt8>,
        _ state: inout State,
        limits: JSONLimits
    ) throws(JSONError) {
        while state.depth > 0 {
            state.position = JSONTape.skipSpace(bytes, from: state.position)
            guard state.position < bytes.count else {
                throw JSONError(.unexpectedEnd, at: bytes.count)
            }
            let byte = bytes[state.position]
            if byte == 0x2C {
                state.position = JSONTape.skipSpace(bytes, from: state.position &+ 1)
                if state.isObject { try parseName(bytes, &state) }
                return
            }
            guard byte == (state.isObject ? 0x7D : 0x5D) else {
                throw JSONError(.unexpectedByte, at: state.position)
            }
            state.position &+= 1
            try closeContainer(bytes, &state, limits: limits)
        }
    }

    private mutating func closeContainer(
        _ bytes: Span<UInt8>,
        _ state: inout State,
        limits: JSONLimits
    ) throws(JSONError) {
        let closed = entries[state.index]
        entries[state.index].end = UInt32(truncatingIfNeeded: state.position)
        entries[state.index].next = UInt32(truncatingIfNeeded: entries.count)
        if state.isObject {
            guard state.memberCount <= limits.memberCount else {
                throw JSONError(.tooManyMembers, at: Int(closed.start))
            }
            try checkNames(of: state.index, count: state.memberCount, in: bytes)
        }
        state.memberCount = Int(closed.end)
        state.index = Int(closed.next)
        state.depth &-= 1
        state.isObject = state.depth > 0 && entries[state.index].kind == .object
    }

    /// Parses `"name":` and the space around it.
    @inline(__always)
    private mutating func parseName(
        _ bytes: Span<UInt8>,
        _ state: inout State
    ) throws(JSONError) {
        guard state.position < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        guard bytes[state.position] == 0x22 else {
            throw JSONError(.unexpectedByte, at: state.position)
        }
        state.memberCount &+= 1
        let start = state.position &+ 1
        var hasEscapes = false
        let end = try JSONStringScanner.end(bytes, from: start, hasEscapes: &hasEscapes)
        append(
            .string,
            start: start,
            end: end,
            digest: JSONTape.digest(bytes, start, end),
            hasEscapes: hasEscapes
        )
        state.position = JSONTape.skipSpace(bytes, from: end &+ 1)
        guard state.position < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        guard bytes[state.position] == 0x3A else {
            throw JSONError(.unexpectedByte, at: state.position)
        }
        state.position = JSONTape.skipSpace(bytes, from: state.position &+ 1)
    }

    /// Mixes a name's length with its first and last byte.
    @inline(__always)
    private static func digest(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt16 {
        guard end > start else { return 0 }
        let (first, last) = (UInt16(bytes[start]), UInt16(bytes[end &- 1]))
        return (UInt16(truncatingIfNeeded: end &- start) &* 31 &+ first) &* 31 &+ last
    }

    /// Returns the literal's end.
    private mutating func appendLiteral(
        _ kind: Kind,
        _ literal: StaticString,
        _ bytes: Span<UInt8>,
        at start: Int
    ) throws(JSONError) -> Int {
        let count = literal.utf8CodeUnitCount
        guard start &+ count <= bytes.count else {
            throw JSONError(.unexpectedEnd, at: bytes.count)
        }
        let matches = literal.withUTF8Buffer { expected in
            for offset in 0..<count where bytes[start &+ offset] != expected[offset] {
                return false
            }
            return true
        }
        guard matches else { throw JSONError(.unexpectedByte, at: start) }
        append(kind, start: start, end: start &+ count)
        return start &+ count
    }

    @inline(__always)
    private mutating func append(
        _ kind: Kind,
        start: Int,
        end: Int,
        digest: UInt16 = 0,
        hasEscapes: Bool = false
    ) {
        entries.append(
            Entry(
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: entries.count &+ 1),
                digest: digest,
                kind: kind,
                hasEscapes: hasEscapes
            )
        )
    }

    @inline(__always)
    private static func skipSpace(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            position &+= 1
        }
        return position
    }
}
