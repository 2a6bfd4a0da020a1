package import HatoWire
import Realtime

/// The body of `POST /api/publish`:
/// `{"key":"…","secret":"…","channelId":"room" or 1,"message":any JSON}` (realtime.md 1.5).
///
/// The message is relayed as its own JSON text, byte by byte; a string as the text that it means.
package struct PublishRequest: Equatable {
    package enum Failure: Error, Hashable, CaseIterable {
        case malformedJSON
        case missingKey
        case missingSecret
        case badChannel
        case missingMessage
        case messageTooLong
        case reservedEvent

        package var text: String {
            switch self {
            case .malformedJSON: "The body is not a JSON object."
            case .missingKey: "key must be a string."
            case .missingSecret: "secret must be a string."
            case .badChannel: "channelId must be a channel's name."
            case .missingMessage: "message is missing."
            case .messageTooLong: "The message is too long."
            case .reservedEvent: RelayRefusal.reservedEvent.text
            }
        }

        package var status: Int { self == .messageTooLong ? 413 : 400 }
    }

    package var key: Text
    package var secret: Text
    package var channel: Text
    package var message: [UInt8]

    package init(_ body: [UInt8], limits: PieSocketLimits) throws(Failure) {
        guard body.count <= limits.publicationBytes else { throw .messageTooLong }
        var tape = JSONTape()
        do {
            let textBytes = min(limits.publicationBytes, JSONLimits.greatestTextBytes)
            try tape.parse(body.span, limits: JSONLimits(textBytes: textBytes))
        } catch {
            throw .malformedJSON
        }
        guard tape.entries[0].kind == .object else { throw .malformedJSON }
        let members = tape.members(in: body.span)
        guard let key = members["key"], tape.entries[key].kind == .string else {
            throw .missingKey
        }
        guard let secret = members["secret"], tape.entries[secret].kind == .string else {
            throw .missingSecret
        }
        guard let channel = members["channelId"],
            let name = PublishRequest.channel(channel, tape, body, limits)
        else { throw .badChannel }
        guard let message = members["message"] else { throw .missingMessage }
        self.key = tape.text(key, in: body.span)
        self.secret = tape.text(secret, in: body.span)
        self.channel = name
        let entry = tape.entries[message]
        self.message =
            entry.kind == .string
            ? Array(tape.text(message, in: body.span).utf8)
            : Array(body[entry.range])
        guard self.message.count <= limits.messageBytes else { throw .messageTooLong }
        guard !ReservedEvent.isNamed(by: self.message) else { throw .reservedEvent }
    }

    private static func channel(
        _ index: Int,
        _ tape: JSONTape,
        _ body: [UInt8],
        _ limits: PieSocketLimits
    ) -> Text? {
        switch tape.entries[index].kind {
        case .string, .number:
            RelayRequest.channelName(
                Array(tape.text(index, in: body.span).utf8),
                limits: limits
            )
        case .null, .true, .false, .array, .object:
            nil
        }
    }
}
