/// Builds one log line: a value, so that lines of several threads never mix.
struct LogLine {
    private let format: Log.Format
    private var bytes: [UInt8] = []

    init(format: Log.Format) {
        self.format = format
        bytes.reserveCapacity(160)
    }

    mutating func begin(atMilliseconds time: Int64, level: Log.Level, message: StaticString) {
        switch format {
        case .text:
            appendTime(time)
            bytes.append(UInt8(ascii: " "))
            appendPlain(level.name)
            bytes.append(UInt8(ascii: " "))
            appendPlain(message)
        case .json:
            appendPlain("{\"time\":\"")
            appendTime(time)
            appendPlain("\",\"level\":\"")
            appendPlain(level.name)
            appendPlain("\",\"message\":")
            appendQuoted(message.description)
        }
    }

    mutating func append(_ name: StaticString, _ value: String) {
        switch format {
        case .text:
            bytes.append(UInt8(ascii: " "))
            appendPlain(name)
            bytes.append(UInt8(ascii: "="))
            let isBare = !value.isEmpty && value.utf8.allSatisfy { isBareByte($0) }
            if isBare {
                bytes.append(contentsOf: value.utf8)
            } else {
                appendQuoted(value)
            }
        case .json:
            bytes.append(UInt8(ascii: ","))
            appendQuoted(name.description)
            bytes.append(UInt8(ascii: ":"))
            appendQuoted(value)
        }
    }

    consuming func finished() -> [UInt8] {
        if format == .json {
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private func isBareByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            && byte != UInt8(ascii: "=")
    }

    private mutating func appendPlain(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// A JSON string: line breaks in a value can't forge a second line in either format.
    private mutating func appendQuoted(_ text: String) {
        let digits: StaticString = "0123456789abcdef"
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20, 0x7F:
                appendPlain("\\u00")
                digits.withUTF8Buffer { bytes.append($0[Int(byte >> 4)]) }
                digits.withUTF8Buffer { bytes.append($0[Int(byte & 15)]) }
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// `2026-11-30T02:40:00.123Z`; days to a civil date by Howard Hinnant's algorithm.
    private mutating func appendTime(_ milliseconds: Int64) {
        let days = milliseconds.flooredQuotient(by: 86_400_000)
        let rest = milliseconds - days * 86_400_000
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        appendNumber(year, width: 4)
        bytes.append(UInt8(ascii: "-"))
        appendNumber(month, width: 2)
        bytes.append(UInt8(ascii: "-"))
        appendNumber(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, width: 2)
        bytes.append(UInt8(ascii: "T"))
        appendNumber(rest / 3_600_000, width: 2)
        bytes.append(UInt8(ascii: ":"))
        appendNumber(rest / 60_000 % 60, width: 2)
        bytes.append(UInt8(ascii: ":"))
        appendNumber(rest / 1_000 % 60, width: 2)
        bytes.append(UInt8(ascii: "."))
        appendNumber(rest % 1_000, width: 3)
        bytes.append(UInt8(ascii: "Z"))
    }

    private mutating func appendNumber(_ number: Int64, width: Int) {
        var text = String(number.magnitude)
        while text.utf8.count < width {
            text = "0" + text
        }
        bytes.append(contentsOf: text.utf8)
    }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
