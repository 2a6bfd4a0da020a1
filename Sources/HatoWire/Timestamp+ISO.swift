extension Timestamp {
    /// `2013-08-28T03:02:29.970Z`.
    package var text: Text {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(to: &bytes)
        return Text(utf8: bytes)
    }

    /// Appends `2013-08-28T03:02:29.970Z`: always milliseconds and `Z`.
    ///
    /// Years outside 0…9999, which no parser of ours accepts, get a sign or more digits.
    package func append(to output: inout [UInt8]) {
        let dayMilliseconds: Int64 = 86_400_000
        var days = millisecondsSinceEpoch / dayMilliseconds
        var rest = Int(millisecondsSinceEpoch % dayMilliseconds)
        if rest < 0 {
            rest += Int(dayMilliseconds)
            days -= 1
        }
        let date = CivilDate(daysSinceEpoch: Int(days))
        guard (0...9999).contains(date.year) else {
            output.append(contentsOf: String(date.year).utf8)
            Timestamp.append(date, rest, yearDigits: 0, to: &output)
            return
        }
        Timestamp.append(date, rest, yearDigits: 4, to: &output)
    }

    /// Appends the whole but for a year that does not fit, as one piece: lists write two of these for
    /// each object.
    private static func append(
        _ date: CivilDate,
        _ rest: Int,
        yearDigits: Int,
        to output: inout [UInt8]
    ) {
        let start = output.count
        output.append(contentsOf: template.dropFirst(4 - yearDigits))
        output.withUnsafeMutableBufferPointer { bytes in
            let base = start - (4 - yearDigits)
            if yearDigits == 4 {
                write(date.year / 100, to: bytes, at: base)
                write(date.year % 100, to: bytes, at: base + 2)
            }
            write(date.month, to: bytes, at: base + 5)
            write(date.day, to: bytes, at: base + 8)
            write(rest / 3_600_000, to: bytes, at: base + 11)
            write(rest / 60_000 % 60, to: bytes, at: base + 14)
            write(rest / 1_000 % 60, to: bytes, at: base + 17)
            bytes[base + 20] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 1_000 / 100)
            write(rest % 100, to: bytes, at: base + 21)
        }
    }

    private static let template = Array("0000-00-00T00:00:00.000Z".utf8)

    /// Writes two digits.
    private static func write(
        _ number: Int,
        to bytes: UnsafeMutableBufferPointer<UInt8>,
        at position: Int
    ) {
        bytes[position] = 0x30 &+ UInt8(truncatingIfNeeded: number / 10)
        bytes[position + 1] = 0x30 &+ UInt8(truncatingIfNeeded: number % 10)
    }
}

extension Timestamp {
    /// Parses `2013-08-28T03:02:29.970Z`: years 0000…9999, UTC, 0…9 decimals of the second, cut to
    /// milliseconds; nil for all else.
    ///
    /// NCMB's SDKs send exactly three decimals; more come from clients of their own making. A leap
    /// second (`:60`) is refused, as the SDKs' formatters do.
    package init?(iso bytes: Span<UInt8>) {
        guard bytes.count >= 20,
            let year = Timestamp.number(bytes, at: 0, digits: 4, upTo: 9_999), bytes[4] == 0x2D,
            let month = Timestamp.number(bytes, at: 5, digits: 2, upTo: 12), bytes[7] == 0x2D,
            let day = Timestamp.number(bytes, at: 8, digits: 2, upTo: 31), bytes[10] == 0x54,
            let hour = Timestamp.number(bytes, at: 11, digits: 2, upTo: 23), bytes[13] == 0x3A,
            let minute = Timestamp.number(bytes, at: 14, digits: 2, upTo: 59), bytes[16] == 0x3A,
            let second = Timestamp.number(bytes, at: 17, digits: 2, upTo: 59),
            let millisecond = Timestamp.milliseconds(bytes, at: 19)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isReal else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + hour * 3_600 + minute * 60 + second
        self.init(millisecondsSinceEpoch: Int64(seconds * 1_000 + millisecond))
    }

    package init?(iso text: Text) {
        guard let timestamp = text.withBytes({ Timestamp(iso: $0) }) else { return nil }
        self = timestamp
    }

    package init?(iso bytes: [UInt8]) {
        self.init(iso: bytes.span)
    }

    private static func number(
        _ bytes: Span<UInt8>,
        at start: Int,
        digits: Int,
        upTo limit: Int
    ) -> Int? {
        var number = 0
        for position in start..<start + digits {
            let digit = bytes[position] &- 0x30
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number <= limit ? number : nil
    }

    /// Parses what follows the seconds: `Z`, or a point, digits and `Z`.
    private static func milliseconds(_ bytes: Span<UInt8>, at start: Int) -> Int? {
        guard bytes[bytes.count - 1] == 0x5A else { return nil }
        let end = bytes.count - 1
        guard start < end else { return 0 }
        let count = end - start - 1
        guard bytes[start] == 0x2E, (1...9).contains(count) else { return nil }
        var milliseconds = 0
        for index in 0..<max(3, count) {
            var digit: UInt8 = 0
            if index < count {
                digit = bytes[start + 1 + index] &- 0x30
                guard digit < 10 else { return nil }
            }
            if index < 3 { milliseconds = milliseconds * 10 + Int(digit) }
        }
        return milliseconds
    }
}
