import HatoWire

/// One line of JSON each way on the command socket: the words of a command, and what came of it.
enum ControlMessage {
    static let limitBytes = 262_144
    /// A list of ten thousand classes takes some two megabytes.
    static let answerLimitBytes = 8_388_608

    static func encode(words: [String]) -> [UInt8] {
        JSONWriter.bytes(.array(words.map { .string(Text($0)) })) + [0x0A]
    }

    /// Returns the words, or nil for a line that is no array of strings.
    static func decodeWords(_ line: [UInt8]) -> [String]? {
        guard case .array(let items) = try? JSON.parse(line) else { return nil }
        var words: [String] = []
        for item in items {
            guard case .string(let text) = item else { return nil }
            words.append(text.string)
        }
        return words
    }

    /// How far a command is: any number of such lines come before its result.
    static func encode(progress: String) -> [UInt8] {
        let member = JSONObject.Member(name: "progress", value: .string(Text(progress)))
        return JSONWriter.bytes(.object(JSONObject([member]))) + [0x0A]
    }

    static func decodeProgress(_ line: [UInt8]) -> String? {
        guard case .object(let object) = try? JSON.parse(line),
            case .string(let text) = object["progress"]
        else { return nil }
        return text.string
    }

    static func encode(_ result: CommandResult) -> [UInt8] {
        let object = JSONObject([
            JSONObject.Member(name: "exit", value: .number(JSONNumber(Int64(result.exitCode)))),
            JSONObject.Member(name: "text", value: .string(Text(result.text))),
        ])
        return JSONWriter.bytes(.object(object)) + [0x0A]
    }

    static func decodeResult(_ line: [UInt8]) -> CommandResult? {
        guard case .object(let object) = try? JSON.parse(line),
            case .number(let exit) = object["exit"], let exitCode = Int32(exit.text.string),
            case .string(let text) = object["text"]
        else { return nil }
        return CommandResult(exitCode: exitCode, text: text.string)
    }
}
