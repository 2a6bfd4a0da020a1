import HatoWire
import Realtime

/// Messages that pretend to be the server's own events.
///
/// The input is a message; what is strict JSON is judged here by the values it means, whatever their
/// spelling.
enum ReservedEventTarget {
    static func check(_ input: [UInt8]) throws {
        let isNamed = ReservedEvent.isNamed(by: input)
        // Clients skip white space around a message.
        try hold(
            ReservedEvent.isNamed(by: [0x20, 0x0A] + input) == isNamed,
            "spaces before it tell"
        )
        try hold(
            ReservedEvent.isNamed(by: input + [0x20, 0x0A]) == isNamed,
            "spaces behind it tell"
        )
        guard let json = try? JSON.parse(input, limits: JSONLimits(textBytes: 4_096)) else {
            return
        }
        guard case .object(let object) = json, let event = object["event"] else {
            try hold(!isNamed, "refused without an event")
            return
        }
        guard case .string(let name) = event else { return }
        let isReserved = name.utf8.starts(with: "system:member_".utf8)
        try hold(isNamed == isReserved, "an event called \(name)")
        let written = JSONWriter.bytes(json)
        try hold(ReservedEvent.isNamed(by: written) == isReserved, "written again")
        try hold(ReservedEvent.isNamed(by: spelledOut(written)) == isReserved, "spelled out")
        guard isReserved else { return }
        for zeros in [1, 3] {
            let zeros = [UInt8](repeating: 0, count: zeros)
            let low = written.flatMap { [$0] + zeros }
            let high = written.flatMap { zeros + [$0] }
            try hold(ReservedEvent.isNamed(by: low), "wide, the low byte first")
            try hold(ReservedEvent.isNamed(by: high), "wide, the high byte first")
        }
    }

    /// Canonical JSON with each letter inside its strings as an escape.
    private static func spelledOut(_ json: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var isInside = false
        var rest = json[...]
        while let byte = rest.popFirst() {
            if isInside, byte == UInt8(ascii: "\\") {
                // An escape stays as it is; the digits of one are no letters of the text.
                let count = rest.first == UInt8(ascii: "u") ? 5 : 1
                output.append(byte)
                output.append(contentsOf: rest.prefix(count))
                rest = rest.dropFirst(count)
            } else if isInside, UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte {
                output.append(contentsOf: "\\u00\(String(byte, radix: 16))".utf8)
            } else {
                if byte == UInt8(ascii: "\"") { isInside.toggle() }
                output.append(byte)
            }
        }
        return output
    }
}
