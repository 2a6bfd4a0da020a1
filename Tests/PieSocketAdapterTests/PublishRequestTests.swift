import HatoTesting
import HatoWire
import Testing

@testable import PieSocketAdapter

@Suite("PublishRequest")
struct PublishRequestTests {
    private let limits = PieSocketLimits(messageBytes: 64)

    private func request(_ body: String) throws -> PublishRequest {
        try PublishRequest(Array(body.utf8), limits: limits)
    }

    private func body(channel: String = #""room""#, message: String) -> String {
        #"{"key":"K","secret":"S","channelId":\#(channel),"message":\#(message)}"#
    }

    @Test(
        "keeps the message's own JSON text, and takes a string as what it means",
        arguments: [
            (
                #"{"event":"new-message","data":{"a":1.50}}"#,
                #"{"event":"new-message","data":{"a":1.50}}"#
            ),
            (
                "{ \"b\" : [1, 2 ],\n\"a\":\"\\u3042\\/\" }",
                "{ \"b\" : [1, 2 ],\n\"a\":\"\\u3042\\/\" }"
            ),
            ("[]", "[]"), ("1e2", "1e2"), ("null", "null"), ("true", "true"), (#""""#, ""),
            (#""hello""#, "hello"), (#""{\"a\":\"b\"}""#, #"{"a":"b"}"#), (#""\u3042\n""#, "あ\n"),
        ]
    )
    func message(json: String, relayed: String) throws {
        let request = try request(body(message: json))
        #expect(String(decoding: request.message, as: UTF8.self) == relayed)
        #expect(request.key == "K")
        #expect(request.secret == "S")
        #expect(request.channel == "room")
    }

    @Test(
        "takes a channel by name or number",
        arguments: [("1", "1"), ("\"1\"", "1"), ("-0.50", "-0.50"), (#""\u0061""#, "a")]
    )
    func channel(json: String, name: String) throws {
        #expect(try request(body(channel: json, message: "1")).channel == Text(name))
    }

    @Test(
        "says what is wrong",
        arguments: [
            ("", .malformedJSON), ("[]", .malformedJSON), ("{", .malformedJSON),
            (#"{"key":"K","key":"K"}"#, .malformedJSON), ("\"key\"", .malformedJSON),
            ("{}", .missingKey), (#"{"key":1}"#, .missingKey), (#"{"key":"K"}"#, .missingSecret),
            (#"{"key":"K","secret":null}"#, .missingSecret),
            (#"{"key":"K","secret":"S"}"#, .badChannel),
            (#"{"key":"K","secret":"S","channelId":""}"#, .badChannel),
            (#"{"key":"K","secret":"S","channelId":["a"]}"#, .badChannel),
            (#"{"key":"K","secret":"S","channelId":"a\n"}"#, .badChannel),
            (#"{"key":"K","secret":"S","channelId":"a"}"#, .missingMessage),
        ] as [(String, PublishRequest.Failure)]
    )
    func failures(body: String, failure: PublishRequest.Failure) {
        #expect(throws: failure) { try request(body) }
    }

    @Test("counts the message's bytes as they will be sent, not as they came")
    func longestMessage() throws {
        let longest = String(repeating: "a", count: 64)
        #expect(try request(body(message: "\"\(longest)\"")).message.count == 64)
        let escaped = String(repeating: "\\u0061", count: 64)
        #expect(try request(body(message: "\"\(escaped)\"")).message.count == 64)
        #expect(throws: PublishRequest.Failure.messageTooLong) {
            try request(body(message: "\"\(longest)a\""))
        }
        let array = "[" + String(repeating: "1", count: 62) + "]"
        #expect(try request(body(message: array)).message.count == 64)
        #expect(throws: PublishRequest.Failure.messageTooLong) {
            try request(body(message: "[" + array.dropFirst().dropLast() + "1]"))
        }
    }

    @Test("refuses by its length, unparsed, a body that no message can come from")
    func longestBody() throws {
        #expect(PieSocketLimits().publicationBytes == 4 * 1_048_576 + 65_536)
        #expect(PieSocketLimits(messageBytes: .max).publicationBytes == .max)
        let longest = body(message: "1")
        let padding = limits.publicationBytes - longest.utf8.count
        let padded = longest + String(repeating: " ", count: padding)
        #expect(try request(padded).message.count == 1)
        #expect(throws: PublishRequest.Failure.messageTooLong) { try request(padded + " ") }
        let damaged = String(repeating: "x", count: limits.publicationBytes + 1)
        #expect(throws: PublishRequest.Failure.messageTooLong) { try request(damaged) }
    }
}
