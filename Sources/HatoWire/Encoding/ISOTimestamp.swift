/// The bytes of a moment: `2013-08-28T03:02:29.970Z`, in three words of which each has its first
/// character lowest.
///
/// Lists write two for each object, mostly the same one twice.
package struct ISOTimestamp {
    /// All there is where `hasUsualYear`.
    package let words: (UInt64, UInt64, UInt64)
    /// What stands for the first four bytes when the year has not four digits.
    private let year: [UInt8]?

    package init(_ moment: Timestamp) {
        var minutes = ISOMinutes()
        self = minutes.text(of: moment)
    }

    @inline(__always)
    fileprivate init(_ minute: ISOMinutes.Minute, _ milliseconds: UInt64) {
        words = (minute.words.0, minute.words.1, ISOTimestamp.second(milliseconds))
        year = minute.year
    }

    /// Whether the words are all of it.
    package var hasUsualYear: Bool { year == nil }

    package var count: Int {
        24 + (year.map { $0.count - 4 } ?? 0)
    }

    @inline(__always)
    fileprivate func write(to writer: inout ByteWriter) {
        if let year {
            writer.write(year.span)
            writer.write(words.0 &>> 32, count: 4)
        } else {
            writer.write(words.0, count: 8)
        }
        writer.write(words.1, count: 8)
        writer.write(words.2, count: 8)
    }

    /// Makes `2013-08-`.
    @inline(__always)
    fileprivate static func yearAndMonth(_ date: CivilDate) -> UInt64 {
        let year = UInt64(truncatingIfNeeded: date.year.magnitude % 10_000)
        let month = UInt64(truncatingIfNeeded: date.month)
        return 0x2D30_302D_3030_3030 + digits(year / 100) + digits(year % 100) &<< 16
            + digits(month) &<< 40
    }

    /// Makes `28T03:02`.
    @inline(__always)
    fileprivate static func dayAndMinute(_ day: UInt64, _ minutes: UInt64) -> UInt64 {
        0x3030_3A30_3054_3030 + digits(day) + digits(minutes / 60) &<< 24
            + digits(minutes % 60) &<< 48
    }

    /// Makes `:29.970Z`.
    @inline(__always)
    private static func second(_ milliseconds: UInt64) -> UInt64 {
        let decimals = milliseconds % 1_000
        return 0x5A30_3030_2E30_303A + digits(milliseconds / 1_000) &<< 8 + (decimals / 100) &<< 32
            + digits(decimals % 100) &<< 40
    }

    /// The two digits of a number below 100, without their 0x30.
    @inline(__always)
    private static func digits(_ number: UInt64) -> UInt64 {
        number / 10 + (number % 10) &<< 8
    }
}

/// Writes moments, and remembers the last one's minute: what lies together in a list was often written
/// in one.
package struct ISOMinutes {
    fileprivate struct Minute {
        /// Year and month; day, hour and minute.
        var words: (UInt64, UInt64)
        /// Nil when it has four digits.
        var year: [UInt8]?

        init(minutesSinceEpoch minutes: Int64) {
            let length: Int64 = 1_440
            let rest = minutes % length
            let days = minutes / length - (rest < 0 ? 1 : 0)
            let date = CivilDate(daysSinceEpoch: Int(days))
            words = (
                ISOTimestamp.yearAndMonth(date),
                ISOTimestamp.dayAndMinute(
                    UInt64(truncatingIfNeeded: date.day),
                    UInt64(truncatingIfNeeded: rest < 0 ? rest + length : rest)
                )
            )
            year = (0...9_999).contains(date.year) ? nil : Array(String(date.year).utf8)
        }
    }

    private var number: Int64 = 0
    private var minute = Minute(minutesSinceEpoch: 0)

    package init() {}

    package mutating func text(of moment: Timestamp) -> ISOTimestamp {
        let length: Int64 = 60_000
        let rest = moment.millisecondsSinceEpoch % length
        let number = moment.millisecondsSinceEpoch / length - (rest < 0 ? 1 : 0)
        if number != self.number {
            self.number = number
            minute = Minute(minutesSinceEpoch: number)
        }
        return ISOTimestamp(minute, UInt64(truncatingIfNeeded: rest < 0 ? rest + length : rest))
    }
}

extension ByteWriter {
    /// Writes the text's `count` bytes.
    @inline(__always)
    package mutating func write(_ moment: ISOTimestamp) {
        moment.write(to: &self)
    }

    /// Writes the lowest `count` bytes of a word, the lowest first.
    @inline(__always)
    fileprivate mutating func write(_ word: UInt64, count: Int) {
        withUnsafeBytes(of: word.littleEndian) {
            take(count).copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
    }
}
