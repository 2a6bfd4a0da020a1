import HatoWire
import ObjectModel

/// The inputs: what a chat app sends and asks for.
enum Samples {
    /// 262 bytes with six fields, as an SDK asks for an object.
    static let requestHead = Array(
        """
        GET /2013-09-01/classes/Chat/0VpK3xAq7ZbT1mWd HTTP/1.1\r
        Host: api.example.com\r
        X-NCMB-Application-Key: 0123456789abcdef0123456789abcdef0123456789abcdef01\r
        Content-Type: application/json\r
        Accept: application/json\r
        Accept-Encoding: gzip\r
        Connection: keep-alive\r
        \r

        """.utf8
    )

    /// 317 bytes: a chat object as an answer shows it.
    static let chat = Array(
        """
        {"objectId":"0VpK3xAq7ZbT1mWd","createDate":"2026-11-30T06:53:22.417Z",\
        "updateDate":"2026-11-30T06:53:22.417Z","acl":{"*":{"read":true},\
        "0VpK3xAq7ZbT1mWe":{"read":true,"write":true}},"body":"message 0000042: \
        こんにちは、pigeons are home","userId":"0VpK3xAq7ZbT1mWe","displayName":"Ann",\
        "n":42,"likes":[1,2.5,3]}
        """.utf8
    )

    /// 300 bytes, canonical, the fields that are asked for last.
    static let document = Array(
        """
        {"body":"message 0000042: lorem ipsum dolor sit amet consectetur adipiscing elit sed do \
        eiusmod tempor incidid","room":{"__type":"Pointer","className":"Room",\
        "objectId":"0VpK3xAq7ZbT1mWf"},"sent":{"__type":"Date","iso":"2026-11-30T06:53:22.417Z"},\
        "likes":[1,2.5,3],"userId":"0VpK3xAq7ZbT1mWe","n":42}
        """.utf8
    )

    static let facts = ObjectFacts(
        id: "0VpK3xAq7ZbT1mWd",
        created: Timestamp(millisecondsSinceEpoch: 1_796_021_602_417),
        updated: Timestamp(millisecondsSinceEpoch: 1_796_021_602_417)
    )

    /// A masked text frame as a client sends it, with the chat object inside.
    static let maskedFrame = WebSocketFrame.encodeMasked(.text, chat.span, key: 0x9F3A_61C7)
}
