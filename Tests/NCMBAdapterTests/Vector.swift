import HatoWire
import Testing

/// A request recorded from a real SDK, with the status that it gets in the vectors' world
/// (Tests/Vectors).
struct Vector: Sendable, CustomTestStringConvertible {
    enum SDK: String, Sendable, CaseIterable {
        case android = "ncmb-android-4.2.0"
        case swift = "ncmb-swift-1.4.2"
    }

    var sdk: SDK
    var number: Int
    var method: String
    var target: String
    var headers: [(name: String, value: String)]
    var body: String
    var status: Int

    var name: String { "\(sdk.rawValue) \(number)" }
    var testDescription: String { "\(name): \(method) \(target)" }

    static let all: [Vector] = SDK.allCases.flatMap { sdk in
        guard let bytes = try? ProjectFile.bytes("Tests/Vectors/\(sdk.rawValue).jsonl") else {
            return [Vector]()
        }
        return bytes.split(separator: 0x0A).compactMap { Vector(sdk, line: $0) }
    }

    /// The request's bytes as they came over the wire.
    var bytes: [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:8970\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        return Array((text + "\r\n" + body).utf8)
    }

    private init?(_ sdk: SDK, line: ArraySlice<UInt8>) {
        guard case .object(let object)? = try? JSON.parse(line),
            case .number(let number)? = object["n"], case .string(let method)? = object["method"],
            case .string(let target)? = object["target"],
            case .number(let status)? = object["status"],
            case .array(let headers)? = object["headers"]
        else { return nil }
        self.sdk = sdk
        self.number = Int(number.text.string) ?? 0
        self.method = method.string
        self.target = target.string
        self.status = Int(status.text.string) ?? 0
        self.headers = headers.compactMap { header in
            guard case .array(let pair) = header, pair.count == 2, case .string(let name) = pair[0],
                case .string(let value) = pair[1]
            else { return nil }
            return (name.string, value.string)
        }
        self.body = ""
        if case .string(let body)? = object["body"] { self.body = body.string }
    }
}
