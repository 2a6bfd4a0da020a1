import HatoWire
import PieSocketAdapter
import Realtime

/// Bodies of `POST /api/publish`.
enum PublishTarget {
    /// Small, so that a fuzzer's inputs reach each of them.
    private static let limits = PieSocketLimits(messageBytes: 256, channelNameBytes: 32)

    static func check(_ input: [UInt8]) throws {
        let request: PublishRequest
        do throws(PublishRequest.Failure) {
            request = try PublishRequest(input, limits: limits)
        } catch {
            try hold([400, 413].contains(error.status), "a refusal of another kind")
            try hold(!error.text.isEmpty, "a refusal without words")
            return
        }
        try hold(request.message.count <= limits.messageBytes, "a message past its limit")
        try hold(!ReservedEvent.isNamed(by: request.message), "an event of the server's")
        let name = Array(request.channel.utf8)
        try hold((1...limits.channelNameBytes).contains(name.count), "a name past its limits")
        try hold(name.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a name with control characters")
        try hold(UTF8Validator.isValid(request.message.span), "a text frame that is no UTF-8")
        // As a string the message is the same text.
        let again = try PublishRequest(written(request), limits: limits)
        try hold(again == request, "another publication when it is written again")
    }

    private static func written(_ request: PublishRequest) -> [UInt8] {
        var body: [UInt8] = []
        for (name, text) in [
            ("{\"key\":", request.key), (",\"secret\":", request.secret),
            (",\"channelId\":", request.channel), (",\"message\":", Text(utf8: request.message)),
        ] {
            body += Array(name.utf8)
            JSONWriter.append(string: text, to: &body)
        }
        return body + [UInt8(ascii: "}")]
    }
}
