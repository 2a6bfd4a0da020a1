// How it works: one loop, no recursion. While a container is open, its entry's `next` holds the
// index of the container around it and its `end` the number of its members so far; both get their
// final meaning when it closes. So the tape is its own stack.

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
        do {
            try parseText(bytes, limits: limits)
        } catch {
            entries.removeAll(keepingCapacity: true)
            throw error
        }
    }

    private mutating func parseText(_ bytes: Span<UInt8>, limits: JSONLimits) throws(JSONError) {
        var position = JSONTape.skipSpace(bytes, from: 0)
        if position < bytes.count, bytes[position] == 0xEF {
            throw JSONError(.byteOrderMark, at: position)
        }
        var open = OpenContainer()
        while true {
            let opened = try parseValue(bytes, at: &position, open: &open, limits: limits)
            if !opened {
                try closeOrContinue(bytes, at: &position, open: &open, limits: limits)
                if open.depth == 0 { break }
            }
        }
        position = JSONTape.skipSpace(bytes, from: position)
        guard position == bytes.count else { throw JSONError(.trailingText, at: position) }
    }

    /// The container that the parser is in; `depth` 0 means none.
    private struct OpenContainer {
        var index = 0
        var depth = 0
        var isObject = false
    }

    /// Parses the value at `position`; returns whether it opened a container that has a first child
    /// there.
    private mutating func parseValue(
        _ bytes: Span<UInt8>,
        at position: inout Int,
        open: inout OpenContainer,
        limits: JSONLimits
    ) throws(JSONError) -> Bool {
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        guard entries.count < limits.entryCount else {
            throw JSONError(.tooManyValues, at: position)
        }
        switch bytes[position] {
        case 0x22:
            try appendString(bytes, at: &position)
        case 0x7B:
            return try openContainer(.object, bytes, at: &position, open: &open, limits: limits)
        case 0x5B:
            return try openContainer(.array, bytes, at: &position, open: &open, limits: limits)
        case 0x2D, 0x30...0x39:
            let start = position
            position = try JSONNumberScanner.end(bytes, from: start, limitBytes: limits.numberBytes)
            append(.number, start: start, end: position)
        case 0x74: try appendLiteral(.true, "true", bytes, at: &position)
        case 0x66: try appendLiteral(.false, "false", bytes, at: &position)
        case 0x6E: try appendLiteral(.null, "null", bytes, at: &position)
        default: throw JSONError(.unexpectedByte, at: position)
        }
        return false
    }

    private mutating func openContainer(
        _ kind: Kind,
        _ bytes: Span<UInt8>,
        at position: inout Int,
        open: inout OpenContainer,
        limits: JSONLimits
    ) throws(JSONError) -> Bool {
        guard open.depth < limits.depth else { throw JSONError(.tooDeep, at: position) }
        let index = entries.count
        let closing: UInt8 = kind == .object ? 0x7D : 0x5D
        append(kind, start: position, end: 0)
        position = JSONTape.skipSpace(bytes, from: position &+ 1)
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        if bytes[position] == closing {
            position &+= 1
            entries[index].end = UInt32(truncatingIfNeeded: position)
            return false
        }
        entries[index].next = UInt32(truncatingIfNeeded: open.index)
        open = OpenContainer(index: index, depth: open.depth &+ 1, isObject: kind == .object)
        if open.isObject { try parseName(bytes, at: &position, open: open, limits: limits) }
        return true
    }

    /// After a value: goes to the next child's value, or closes containers as long as they end.
    private mutating func closeOrContinue(
        _ bytes: Span<UInt8>,
        at position: inout Int,
        open: inout OpenContainer,
        limits: JSONLimits
    ) throws(JSONError) {
        while open.depth > 0 {
            position = JSONTape.skipSpace(bytes, from: position)
            guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
            let byte = bytes[position]
            if byte == 0x2C {
                position = JSONTape.skipSpace(bytes, from: position &+ 1)
                if open.isObject { try parseName(bytes, at: &position, open: open, limits: limits) }
                return
            }
            guard byte == (open.isObject ? 0x7D : 0x5D) else {
                throw JSONError(.unexpectedByte, at: position)
            }
            position &+= 1
            let parent = Int(entries[open.index].next)
            let memberCount = Int(entries[open.index].end)
            entries[open.index].end = UInt32(truncatingIfNeeded: position)
            entries[open.index].next = UInt32(truncatingIfNeeded: entries.count)
            if open.isObject, memberCount > 1 {
                try checkNames(of: open.index, count: memberCount, in: bytes)
            }
            open.depth &-= 1
            open.index = parent
            open.isObject = open.depth > 0 && entries[parent].kind == .object
        }
    }

    /// Parses `"name":` and the space around it.
    private mutating func parseName(
        _ bytes: Span<UInt8>,
        at position: inout Int,
        open: OpenContainer,
        limits: JSONLimits
    ) throws(JSONError) {
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        guard bytes[position] == 0x22 else { throw JSONError(.unexpectedByte, at: position) }
        guard Int(entries[open.index].end) < limits.memberCount else {
            throw JSONError(.tooManyMembers, at: position)
        }
        guard entries.count < limits.entryCount else {
            throw JSONError(.tooManyValues, at: position)
        }
        entries[open.index].end &+= 1
        let start = position
        try appendString(bytes, at: &position)
        if let name = entries.last, name.hasEscapes,
            JSONEscapes.encodesNUL(bytes.extracting(name.range))
        {
            throw JSONError(.nulInName, at: start)
        }
        if position < bytes.count, bytes[position] != 0x3A {
            position = JSONTape.skipSpace(bytes, from: position)
        }
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        guard bytes[position] == 0x3A else { throw JSONError(.unexpectedByte, at: position) }
        position = JSONTape.skipSpace(bytes, from: position &+ 1)
    }

    private mutating func appendString(
        _ bytes: Span<UInt8>,
        at position: inout Int
    ) throws(JSONError) {
        let start = position &+ 1
        var hasEscapes = false
        let end = try JSONStringScanner.end(bytes, from: start, hasEscapes: &hasEscapes)
        var digest = UInt16(truncatingIfNeeded: end &- start)
        if end > start {
            let first = UInt16(bytes[start])
            let last = UInt16(bytes[end &- 1])
            digest = (digest &* 31 &+ first) &* 31 &+ last
        }
        entries.append(
            Entry(
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: entries.count &+ 1),
                digest: digest,
                kind: .string,
                hasEscapes: hasEscapes
            )
        )
        position = end &+ 1
    }

    private mutating func appendLiteral(
        _ kind: Kind,
        _ literal: StaticString,
        _ bytes: Span<UInt8>,
        at position: inout Int
    ) throws(JSONError) {
        let count = literal.utf8CodeUnitCount
        guard position &+ count <= bytes.count else {
            throw JSONError(.unexpectedEnd, at: bytes.count)
        }
        let start = position
        let matches = literal.withUTF8Buffer { expected in
            for offset in 0..<count where bytes[start &+ offset] != expected[offset] {
                return false
            }
            return true
        }
        guard matches else { throw JSONError(.unexpectedByte, at: position) }
        append(kind, start: position, end: position &+ count)
        position &+= count
    }

    private mutating func append(_ kind: Kind, start: Int, end: Int) {
        entries.append(
            Entry(
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: entries.count &+ 1),
                digest: 0,
                kind: kind,
                hasEscapes: false
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
