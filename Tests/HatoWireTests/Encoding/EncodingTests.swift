import HatoWire
import Testing

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite("Base64")
struct Base64Tests {
    @Test(
        "encodes and decodes the vectors of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(plain: String, coded: String) {
        #expect(Base64.encode(bytes(plain)) == coded)
        #expect(Base64.decode(coded.utf8) == bytes(plain))
    }

    @Test("uses the whole alphabet")
    func alphabet() {
        let all = (0...255).map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(all).utf8) == all)
        #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
    }

    @Test(
        "refuses what is not canonical",
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zh==", "Zm9=", "Zm 9v", "Zm9v\n",
            "Zm9-", "Zg==Zg==", "Zg=a", "Zm9v=", "é===",
        ]
    )
    func refuses(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}

@Suite("SHA1")
struct SHA1Tests {
    @Test(
        "digests the vectors of FIPS 180 and messages around a block's end",
        arguments: [
            ("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            ("a", 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
            ("a", 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
            ("a", 10_000, "a080cbda64850abb7b7f67ee875ba068074ff6fe"),
        ]
    )
    func vectors(unit: String, count: Int, hex: String) {
        let digest = SHA1.digest(bytes(String(repeating: unit, count: count)))
        let text = digest.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        #expect(text.joined() == hex)
    }
}

@Suite("PercentCoding")
struct PercentCodingTests {
    @Test(
        "decodes leniently",
        arguments: [
            ("a%20b", "a b"), ("%e3%81%82", "あ"), ("%E3%81%82", "あ"), ("%", "%"), ("%4", "%4"),
            ("%zz", "%zz"), ("%%41", "%A"), ("a+b", "a+b"), ("", ""), ("%252e", "%2e"),
            ("{\"a\"}", "{\"a\"}"), ("%00", "\u{0}"),
        ]
    )
    func decodes(coded: String, plain: String) {
        #expect(PercentCoding.text(bytes(coded)[...]) == plain)
        #expect(PercentCoding.decode(bytes(coded)[...]) == bytes(plain))
    }

    @Test("takes a plus for a space in forms only")
    func plus() {
        let text = bytes("a+b%2Bc")[...]
        #expect(PercentCoding.text(text, plusIsSpace: true) == "a b+c")
        #expect(PercentCoding.text(text) == "a+b+c")
    }

    @Test("lets any byte out of the decoder, and repairs it as text")
    func rawBytes() {
        #expect(PercentCoding.decode(bytes("%ff%fe")[...]) == [0xFF, 0xFE])
        #expect(PercentCoding.text(bytes("%ff")[...]) == "\u{FFFD}")
    }

    @Test("encodes all but the unreserved characters, and decodes to the same")
    func encodes() {
        #expect(PercentCoding.encode("aZ09-._~ /?é") == "aZ09-._~%20%2F%3F%C3%A9")
        let text = "where={\"a\":[1,\"あ\"]}&b=+"
        #expect(PercentCoding.text(bytes(PercentCoding.encode(text))[...]) == text)
    }
}

@Suite("QueryString")
struct QueryStringTests {
    @Test("reads items in order, with and without values")
    func items() {
        let query = QueryString(bytes("a=1&notify_self&c=&&=x&d=a=b&c=%32+3")[...])
        let items = query.map { ($0.name, $0.rawValue == nil ? nil : $0.value) }
        let expected: [(String, String?)] = [
            ("a", "1"), ("notify_self", nil), ("c", ""), ("", "x"), ("d", "a=b"), ("c", "2 3"),
        ]
        #expect(items.map(\.0) == expected.map(\.0))
        #expect(items.map(\.1) == expected.map(\.1))
    }

    @Test("finds the first item of a name")
    func finds() {
        let query = QueryString(bytes("%61pi_key=k&b&api_key=l")[...])
        #expect(query.value("api_key") == "k")
        #expect(query.value("b") == "")
        #expect(query.value("c") == nil)
        #expect(query.first("b")?.rawValue == nil)
        #expect(query.first("b") != nil)
    }

    @Test("is empty without a query")
    func empty() {
        #expect(Array(QueryString(nil)).isEmpty)
        #expect(Array(QueryString([])).isEmpty)
        #expect(Array(QueryString(bytes("&&&")[...])).isEmpty)
    }
}

@Suite("HTTPDate")
struct HTTPDateTests {
    @Test(
        "writes an IMF-fixdate",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (1_796_000_000, "Mon, 30 Nov 2026 00:53:20 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (Int64.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func writes(seconds: Int64, text: String) {
        #expect(HTTPDate.text(secondsSinceEpoch: seconds) == text)
        #expect(text.utf8.count == HTTPDate.byteCount)
    }
}

@Suite("UTF8Validator")
struct UTF8ValidatorTests {
    private static func accepts(_ bytes: [UInt8], pieceBytes: Int) -> Bool {
        var validator = UTF8Validator()
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(start + pieceBytes, bytes.count)])
            guard validator.accept(piece.span) else { return false }
            start += piece.count
        }
        return validator.isAtBoundary
    }

    @Test("agrees with the standard library on the sequences at its borders")
    func agrees() {
        let leads: [UInt8] = [
            0x41, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1,
            0xF4, 0xF5, 0xFF,
        ]
        let others: [UInt8] = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2]
        var differences: [[UInt8]] = []
        for first in leads {
            for second in others {
                for third in others {
                    for fourth in others {
                        let tail: [UInt8] = [first, second, third, fourth]
                        // Behind a run that the word-wise path takes, and with room after it.
                        let long = Array("12345678".utf8) + tail + Array("123456789".utf8)
                        let isText = String(validating: long, as: UTF8.self) != nil
                        if UTF8Validator.isValid(long.span) != isText { differences.append(tail) }
                        let isTail = String(validating: tail, as: UTF8.self) != nil
                        if Self.accepts(tail, pieceBytes: 1) != isTail { differences.append(tail) }
                    }
                }
            }
        }
        #expect(differences.isEmpty)
    }

    @Test("agrees with the standard library on random text, damaged and split", arguments: 0..<4)
    func agreesOnRandomText(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let words = [
            "a", "plain ascii words", "é", "あいう", "日本語", "🐦", "\u{10FFFF}", "߿", "\u{FFFD}",
        ]
        for _ in 0..<2_000 {
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                text += Array((words.randomElement(using: &generator) ?? "").utf8)
            }
            if Bool.random(using: &generator) {
                text = generator.mutate(text, telling: [0x80, 0xE3, 0xED, 0xF4])
            }
            let isText = String(validating: text, as: UTF8.self) != nil
            let isValid = UTF8Validator.isValid(text.span)
            #expect(isValid == isText)
            for size in [1, 3, 11] { #expect(Self.accepts(text, pieceBytes: size) == isText) }
        }
    }

    @Test(
        "knows a wrong byte at once",
        arguments: [
            [0xFF], [0xC0], [0x80], [0xE0, 0x9F], [0xED, 0xA0], [0xF4, 0x90], [0xF0, 0x8F],
            [0xE3, 0x81, 0x41], [0xF5],
        ] as [[UInt8]]
    )
    func failsFast(sequence: [UInt8]) {
        var validator = UTF8Validator()
        let isStartAccepted = validator.accept(Array(sequence.dropLast()).span)
        #expect(isStartAccepted)
        let isWholeAccepted = validator.accept(Array(sequence.suffix(1)).span)
        #expect(!isWholeAccepted)
    }
}
