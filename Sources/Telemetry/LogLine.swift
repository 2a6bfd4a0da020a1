import HatoWire

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

    /// `2026-11-30T02:40:00.123Z`.
    private mutating func appendTime(_ milliseconds: Int64) {
        Timestamp(millisecondsSinceEpoch: milliseconds).append(to: &bytes)
    }
}
