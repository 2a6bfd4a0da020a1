import HatoWire

/// Writes the bytes that `OrderedKey` describes.
struct OrderedKeyEncoder {
    enum Tag {
        static let end: UInt8 = 0x00
        static let null: UInt8 = 0x10
        static let number: UInt8 = 0x20
        static let string: UInt8 = 0x30
        static let object: UInt8 = 0x40
        static let array: UInt8 = 0x50
        static let boolean: UInt8 = 0x60
        static let date: UInt8 = 0x70
    }

    /// The output's length from which on nothing more is needed.
    let limit: Int

    func append(_ bytes: Span<UInt8>, at start: Int, depth: Int, to output: inout [UInt8]) {
        guard start < bytes.count, depth < JSONLimits.greatestDepth else {
            output.append(Tag.null)
            return
        }
        switch bytes[start] {
        case 0x6E: output.append(Tag.null)
        case 0x74:
            output.append(Tag.boolean)
            output.append(1)
        case 0x66:
            output.append(Tag.boolean)
            output.append(0)
        case 0x22:
            output.append(Tag.string)
            let end = max(start &+ 1, CanonicalJSON.endOfString(bytes, from: start) &- 1)
            append(escaped: bytes.extracting(start &+ 1..<end), to: &output)
        case 0x5B:
            output.append(Tag.array)
            var cursor = ElementCursor(bytes, array: start)
            while output.count <= limit, let element = cursor.next(in: bytes) {
                append(bytes, at: element, depth: depth &+ 1, to: &output)
            }
            output.append(Tag.end)
        case 0x7B:
            if let date = CanonicalJSON.date(bytes, at: start) {
                OrderedKeyEncoder.append(date, to: &output)
            } else {
                appendObject(bytes, at: start, depth: depth, to: &output)
            }
        default:
            let end = CanonicalJSON.endOfValue(bytes, from: start)
            OrderedKeyEncoder.append(
                NumberValue(validated: bytes.extracting(start..<end)),
                to: &output
            )
        }
    }

    private func appendObject(
        _ bytes: Span<UInt8>,
        at start: Int,
        depth: Int,
        to output: inout [UInt8]
    ) {
        output.append(Tag.object)
        var members: [(name: [UInt8], valueStart: Int)] = []
        var cursor = MemberCursor(bytes, object: start)
        while let member = cursor.next(in: bytes) {
            var name: [UInt8] = [Tag.string]
            OrderedKeyEncoder(limit: Int.max).append(
                escaped: bytes.extracting(member.name),
                to: &name
            )
            members.append((name, member.valueStart))
        }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        for member in members where output.count <= limit {
            output.append(contentsOf: member.name)
            append(bytes, at: member.valueStart, depth: depth &+ 1, to: &output)
        }
        output.append(Tag.end)
    }

    /// Appends the text of a string's escaped inside, and the terminator.
    private func append(escaped bytes: Span<UInt8>, to output: inout [UInt8]) {
        var position = 0
        var runStart = 0
        while position < bytes.count, output.count &+ (position &- runStart) <= limit {
            guard bytes[position] == 0x5C else {
                position &+= 1
                continue
            }
            JSONWriter.append(raw: bytes.extracting(runStart..<position), to: &output)
            let character = JSONEscapes.next(bytes, at: &position)
            for index in 0..<character.count {
                let byte = character.byte(index)
                output.append(byte)
                if byte == 0 { output.append(0xFF) }
            }
            runStart = position
        }
        JSONWriter.append(raw: bytes.extracting(runStart..<position), to: &output)
        output.append(0x00)
        output.append(0x01)
    }

    static func append(_ date: Timestamp, to output: inout [UInt8]) {
        output.append(Tag.date)
        let biased = UInt64(bitPattern: date.millisecondsSinceEpoch) ^ (1 << 63)
        append(bigEndian: biased, to: &output)
    }

    static func append(_ number: NumberValue, to output: inout [UInt8]) {
        output.append(Tag.number)
        let double: Double
        let integer: Int64?
        switch number {
        case .integer(let value): (double, integer) = (Double(value), value)
        // Adding zero makes −0 the same as 0.
        case .double(let value): (double, integer) = (value + 0.0, nil)
        }
        let bits = double.bitPattern
        append(bigEndian: bits >> 63 == 1 ? ~bits : bits | 1 << 63, to: &output)
        // From 2^53 on a Double stands for several integers. The bytes before decide whether these
        // two follow, so keys stay comparable.
        guard double.magnitude >= 0x1p53, double.magnitude <= 0x1p63 else { return }
        let distance = integer.map { OrderedKeyEncoder.distance(of: $0, from: double) } ?? 0
        let biased = UInt16(truncatingIfNeeded: distance &+ 0x8000)
        output.append(UInt8(truncatingIfNeeded: biased >> 8))
        output.append(UInt8(truncatingIfNeeded: biased))
    }

    /// Returns `integer − double`, at most 512 in magnitude, for the nearest Double.
    private static func distance(of integer: Int64, from double: Double) -> Int64 {
        // 2^63 itself is no int64: count from Int64.max, which is one less.
        guard double < 0x1p63 else { return integer &- Int64.max &- 1 }
        return integer &- Int64(double)
    }

    private static func append(bigEndian value: UInt64, to output: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}
