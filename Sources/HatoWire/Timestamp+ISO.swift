// Days and dates by the civil calendar algorithms of Howard Hinnant
// (http://howardhinnant.github.io/date_algorithms.html): eras of 400 years that begin in March.

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
        let (year, month, day) = Timestamp.civil(fromDays: Int(days))
        if year < 0 || year > 9999 {
            output.append(contentsOf: String(year).utf8)
        } else {
            Timestamp.append(year, digits: 4, to: &output)
        }
        output.append(0x2D)
        Timestamp.append(month, digits: 2, to: &output)
        output.append(0x2D)
        Timestamp.append(day, digits: 2, to: &output)
        output.append(0x54)
        Timestamp.append(rest / 3_600_000, digits: 2, to: &output)
        output.append(0x3A)
        Timestamp.append(rest / 60_000 % 60, digits: 2, to: &output)
        output.append(0x3A)
        Timestamp.append(rest / 1_000 % 60, digits: 2, to: &output)
        output.append(0x2E)
        Timestamp.append(rest % 1_000, digits: 3, to: &output)
        output.append(0x5A)
    }

    private static func append(_ number: Int, digits: Int, to output: inout [UInt8]) {
        var divisor = digits == 4 ? 1_000 : digits == 3 ? 100 : 10
        while divisor > 0 {
            output.append(0x30 &+ UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }

    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
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
            let millisecond = Timestamp.milliseconds(bytes, at: 19),
            month >= 1, day >= 1, day <= Timestamp.dayCount(year: year, month: month)
        else { return nil }
        let days = Timestamp.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
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

    private static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
