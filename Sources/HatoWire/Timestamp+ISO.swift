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
        let text = ISOTimestamp(self)
        ByteWriter.append(text.count, to: &output) { $0.write(text) }
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
