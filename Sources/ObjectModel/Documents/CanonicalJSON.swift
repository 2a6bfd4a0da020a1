import HatoWire

/// Walks over canonical JSON, as the store keeps it, without parsing it again.
///
/// The bytes were checked when they were written, so nothing is validated here; damaged bytes end
/// a walk early but never trap: where an end is missing, the end of all bytes stands for it.
package enum CanonicalJSON {
    /// Returns the position behind the string whose opening quote is at `start`.
    static func endOfString(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let raw = bytes.bytes
        let count = bytes.count
        let ones: UInt64 = 0x0101_0101_0101_0101
        var position = start &+ 1
        while position < count {
            if position &+ 8 <= count {
                let word = UInt64(
                    littleEndian: raw.unsafeLoadUnaligned(
                        fromByteOffset: position,
                        as: UInt64.self
                    )
                )
                let quotes = word ^ (ones &* 0x22)
                let backslashes = word ^ (ones &* 0x5C)
                let marks =
                    ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes)
                    & (ones &* 0x80)
                guard marks != 0 else {
                    position &+= 8
                    continue
                }
                position &+= marks.trailingZeroBitCount &>> 3
            }
            let byte = bytes[position]
            if byte == 0x22 { return position &+ 1 }
            position &+= byte == 0x5C ? 2 : 1
        }
        return count
    }

    /// Returns the position behind the value at `start`.
    static func endOfValue(_ bytes: Span<UInt8>, from start: Int) -> Int {
        guard start < bytes.count else { return bytes.count }
        switch bytes[start] {
        case 0x22: return endOfString(bytes, from: start)
        case 0x7B, 0x5B: return endOfContainer(bytes, from: start)
        default:
            var position = start
            while position < bytes.count {
                let byte = bytes[position]
                if byte == 0x2C || byte == 0x7D || byte == 0x5D { break }
                position &+= 1
            }
            return position
        }
    }

    private static func endOfContainer(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var depth = 0
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case 0x22:
                position = endOfString(bytes, from: position)
                continue
            case 0x7B, 0x5B:
                depth &+= 1
            case 0x7D, 0x5D:
                depth &-= 1
                if depth == 0 { return position &+ 1 }
            default: break
            }
            position &+= 1
        }
        return bytes.count
    }

    /// Whether `expected` stands at `start`.
    static func hasLiteral(
        _ expected: StaticString,
        in bytes: Span<UInt8>,
        at start: Int
    ) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard start &+ count <= bytes.count else { return false }
        return expected.withUTF8Buffer { expected in
            for offset in 0..<count where bytes[start &+ offset] != expected[offset] {
                return false
            }
            return true
        }
    }

    static let datePrefix: StaticString = "{\"__type\":\"Date\",\"iso\":\""

    /// Returns the moment when the object at `start` is a Date; canonical Dates have one form.
    static func date(_ bytes: Span<UInt8>, at start: Int) -> Timestamp? {
        guard hasLiteral(datePrefix, in: bytes, at: start) else { return nil }
        let text = start &+ datePrefix.utf8CodeUnitCount
        let end = endOfString(bytes, from: text &- 1) &- 1
        guard text < end else { return nil }
        return Timestamp(iso: bytes.extracting(text..<end))
    }

    /// Whether two ranges hold the same bytes.
    static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count where left[index] != right[index] { return false }
        return true
    }
}

/// Steps through the members of a canonical object.
package struct MemberCursor {
    package struct Member {
        /// The escaped name, inside its quotes.
        package var name: Range<Int>
        package var valueStart: Int
    }

    private var position: Int
    private var pendingValue: Int?

    /// Starts at the brace at `start`; when there is none, there are no members.
    package init(_ bytes: Span<UInt8>, object start: Int = 0) {
        let isObject = start < bytes.count && bytes[start] == 0x7B
        self.position = isObject ? start &+ 1 : bytes.count
        self.pendingValue = nil
    }

    package mutating func next(in bytes: Span<UInt8>) -> Member? {
        if let value = pendingValue {
            position = CanonicalJSON.endOfValue(bytes, from: value)
            if position < bytes.count, bytes[position] == 0x2C { position &+= 1 }
            pendingValue = nil
        }
        guard position < bytes.count, bytes[position] == 0x22 else { return nil }
        let nameEnd = CanonicalJSON.endOfString(bytes, from: position)
        guard nameEnd < bytes.count, nameEnd >= position &+ 2, bytes[nameEnd] == 0x3A else {
            position = bytes.count
            return nil
        }
        pendingValue = nameEnd &+ 1
        return Member(name: position &+ 1..<nameEnd &- 1, valueStart: nameEnd &+ 1)
    }
}

/// Steps through the elements of a canonical array.
package struct ElementCursor {
    private var position: Int
    private var pendingElement: Int?

    /// Starts at the bracket at `start`; when there is none, there are no elements.
    package init(_ bytes: Span<UInt8>, array start: Int = 0) {
        let isArray = start < bytes.count && bytes[start] == 0x5B
        self.position = isArray ? start &+ 1 : bytes.count
        self.pendingElement = nil
    }

    /// Returns the start of the next element.
    package mutating func next(in bytes: Span<UInt8>) -> Int? {
        if let element = pendingElement {
            position = CanonicalJSON.endOfValue(bytes, from: element)
            guard position < bytes.count, bytes[position] == 0x2C else {
                position = bytes.count
                return nil
            }
            position &+= 1
        }
        guard position < bytes.count, bytes[position] != 0x5D else { return nil }
        pendingElement = position
        return position
    }
}
