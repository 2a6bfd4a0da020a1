import HatoWire
import Testing

@testable import PieSocketAdapter

@Suite("SentText")
struct SentTextTests {
    @Test(
        "is as long as in a string of JSON",
        arguments: [
            ("", 0), ("ann", 3), ("あ", 3), ("\u{1}", 6), ("\n", 2), ("\"\\/", 6), ("😀", 4),
        ] as [(Text, Int)]
    )
    func length(text: Text, bytes: Int) {
        #expect(text.sentBytes == bytes)
        #expect(text.isSent(within: bytes))
        #expect(!text.isSent(within: bytes - 1))
    }

    @Test(
        "is cut between characters, within the first only when that is too long alone",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "abc"), ("あいう", 8, "あい"), ("あいう", 9, "あいう"),
            ("a\u{1}b", 6, "a"), ("a\u{1}b", 7, "a\u{1}"), ("ab\"", 3, "ab"),
            // A letter with two marks, and a flag of two scalars.
            ("xe\u{301}\u{302}", 4, "x"), ("xe\u{301}\u{302}", 6, "xe\u{301}\u{302}"),
            ("a🇯🇵", 8, "a"), ("a🇯🇵", 9, "a🇯🇵"), ("🇯🇵", 7, "🇯"), ("あ", 2, ""),
        ] as [(Text, Int, Text)]
    )
    func cut(text: Text, limit: Int, kept: Text) {
        #expect(text.cut(toSentBytes: limit) == kept)
    }
}
