import HatoWire
import ObjectModel

/// Tells a message that pretends to be one of the server's own events, `system:member_…`.
///
/// A relay passes on what it does not read, but a list of members that anyone can forge is worth
/// nothing. Only a message that holds the name in some spelling is parsed. The readers behind are more
/// lenient than JSON is (Android's takes comments, bare names and `\s` for `s`; a browser takes a list
/// of one text for that text), so that what holds the name and can't be read strictly is refused.
package enum ReservedEvent {
    private static let prefix = Array("system:member_".utf8)
    private static let prefixNeedle = ByteNeedle(prefix)

    package static func isNamed(by message: [UInt8]) -> Bool {
        guard isSuspect(message) else { return false }
        var tape = JSONTape()
        do {
            let textBytes = min(max(message.count, 1), JSONLimits.greatestTextBytes)
            try tape.parse(message.span, limits: JSONLimits(textBytes: textBytes))
        } catch {
            return true
        }
        guard tape.entries[0].kind == .object else { return false }
        guard let event = tape.members(in: message.span)["event"] else { return false }
        return isReserved(tape, event, in: message)
    }

    /// Whether a member called `event` with this value would be one of the server's own.
    static func isReserved(_ value: Text) -> Bool {
        value.utf8.starts(with: prefix)
    }

    /// A value that is no string counts by its text.
    private static func isReserved(_ tape: JSONTape, _ value: Int, in message: [UInt8]) -> Bool {
        tape.entries[value].kind == .string
            ? isReserved(tape.text(value, in: message.span))
            : isFound(unescaped(message[tape.entries[value].range]))
    }

    /// Whether the name is in the message, in whatever spelling, behind a brace.
    private static func isSuspect(_ message: [UInt8]) -> Bool {
        guard let brace = message.firstIndex(of: UInt8(ascii: "{")) else { return false }
        // Foundation reads UTF-16 and UTF-32 where it is given bytes: ASCII with zeros between.
        if message.contains(0), isFound(unescaped(message[...].filter { $0 != 0 }[...])) {
            return true
        }
        if isFound(message) { return true }
        let rest = message[brace...]
        return rest.contains(UInt8(ascii: "\\")) && isFound(unescaped(rest))
    }

    private static func isFound(_ bytes: [UInt8]) -> Bool {
        prefixNeedle?.isFound(in: bytes.span) ?? true
    }

    /// Takes escapes off as the most lenient reader does: what follows a backslash stands for itself,
    /// unless it is `u` and four digits.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                output.append(byte)
                continue
            }
            let digits = rest.prefix(4)
            if next == UInt8(ascii: "u"), digits.count == 4,
                let code = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                // Beyond ASCII nothing of the name is spelled.
                output.append(UInt8(exactly: code) ?? 0xFF)
                rest = rest.dropFirst(4)
            } else {
                output.append(next)
            }
        }
        return output
    }
}
