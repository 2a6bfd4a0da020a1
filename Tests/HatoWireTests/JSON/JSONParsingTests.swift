import HatoWire
import Testing

@Suite("JSON parsing")
struct JSONParsingTests {
    @Test(
        "keeps what was written, in canonical form",
        arguments: [
            ("null", "null"), (" true ", "true"), ("false", "false"), ("\"\"", "\"\""),
            ("[]", "[]"), ("{}", "{}"), ("[ ]", "[]"), ("{ \n}", "{}"),
            ("0", "0"), ("-0", "-0"), ("-0.0e+00", "-0.0e+00"), ("1E400e", ""),
            ("9223372036854775807", "9223372036854775807"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1.7976931348623157e308", "1.7976931348623157e308"), ("1e-400", "1e-400"),
            ("[1,[2,[]],{\"a\":{\"b\":[]}}]", "[1,[2,[]],{\"a\":{\"b\":[]}}]"),
            ("{\"b\" : 1 , \"a\":2}", "{\"b\":1,\"a\":2}"),
            (#""\u0041\u00e9\u65e5\ud83d\ude00""#, "\"Aé日😀\""),
            (
                #""\/ / \" \\ \b\f\n\r\t\u0000\u001F\u007f""#,
                #""\/ \/ \" \\ \b\f\n\r\t\u0000\u001f"# + "\u{7F}\""
            ),
            ("\"日本語のメッセージ😀\u{2028}\"", "\"日本語のメッセージ😀\u{2028}\""),
            ("{\"é\":1,\"e\u{301}\":2}", "{\"é\":1,\"e\u{301}\":2}"),
            (#"{"a\u0062":1,"a":2}"#, #"{"ab":1,"a":2}"#),
        ]
    )
    func keepsText(text: String, canonical: String) throws {
        guard !canonical.isEmpty else {
            #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8)) }
            return
        }
        let bytes = JSONWriter.bytes(try JSON.parse(Array(text.utf8)))
        #expect(String(decoding: bytes, as: UTF8.self) == canonical)
        #expect(bytes == Array(canonical.utf8))
        #expect(JSONWriter.bytes(try JSON.parse(bytes)) == bytes)
    }

    @Test(
        "refuses what RFC 8259 and the rulings refuse",
        arguments: [
            ("", .unexpectedEnd), ("  ", .unexpectedEnd), ("[", .unexpectedEnd),
            ("{", .unexpectedEnd), ("[1", .unexpectedEnd), ("{\"a\"", .unexpectedEnd),
            ("{\"a\":", .unexpectedEnd), ("\"abc", .unexpectedEnd), ("tru", .unexpectedEnd),
            ("-", .unexpectedEnd), ("1.", .unexpectedEnd), ("1e", .unexpectedEnd),
            ("\"\\", .unexpectedEnd),
            ("[1,]", .unexpectedByte), ("{\"a\":1,}", .unexpectedByte), ("[,1]", .unexpectedByte),
            ("{a:1}", .unexpectedByte), ("{1:1}", .unexpectedByte), ("[1 2]", .unexpectedByte),
            ("{\"a\" 1}", .unexpectedByte), ("[1}", .unexpectedByte),
            ("{\"a\":1]", .unexpectedByte),
            ("nul1", .unexpectedByte), ("True", .unexpectedByte), ("'a'", .unexpectedByte),
            ("NaN", .unexpectedByte), ("+1", .unexpectedByte), (".5", .unexpectedByte),
            ("\u{FEFF}{}", .byteOrderMark), ("{} {}", .trailingText), ("1 x", .trailingText),
            ("01", .invalidNumber), ("-01", .invalidNumber), ("-x", .invalidNumber),
            ("1.x", .invalidNumber), ("1e+x", .invalidNumber), ("0x10", .trailingText),
            ("1e309", .numberOutOfRange), ("-1e999", .numberOutOfRange),
            ("\"a\nb\"", .controlCharacter), ("\"\u{0}\"", .controlCharacter),
            (#""\x""#, .invalidEscape), (#""\u12""#, .invalidEscape),
            (#""\u12g4""#, .invalidEscape),
            (#""\ud800""#, .loneSurrogate), (#""\udc00""#, .loneSurrogate),
            (#""\ud800\u0041""#, .loneSurrogate), (#""\ud83dx""#, .loneSurrogate),
            (#"{"a":1,"a":2}"#, .duplicateName), (#"{"a":1,"b":2,"\u0061":3}"#, .duplicateName),
            (#"{"x":{"a\/":1,"a/":1}}"#, .duplicateName), (#"{"":1,"":2}"#, .duplicateName),
            (#"{"a\u0000b":1}"#, .nulInName),
        ] as [(String, JSONError.Code)]
    )
    func refuses(text: String, code: JSONError.Code) {
        #expect(failure(Array(text.utf8)) == code, "\(text)")
    }

    @Test(
        "refuses bytes that are not UTF-8",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE3, 0x81],
            [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80],
            [0xFF], [0xE3, 0x81, 0x41],
        ] as [[UInt8]]
    )
    func refusesDamagedUTF8(bytes: [UInt8]) {
        #expect(failure([0x22] + bytes + [0x22]) == .invalidUTF8)
        #expect(failure(Array("\"0123456".utf8) + bytes + [0x22]) == .invalidUTF8)
        #expect(failure(Array("{\"日本".utf8) + bytes + Array("\":1}".utf8)) == .invalidUTF8)
    }

    @Test(
        "finds a duplicate among many names, wherever it stands",
        arguments: [2, 31, 32, 33, 500]
    )
    func findsDuplicates(count: Int) throws {
        let names = (0..<count).map { "\"name\($0)\":\($0)" }
        #expect(failure(Array("{\(names.joined(separator: ","))}".utf8)) == nil)
        for index in [0, count / 2, count - 1] {
            let text = "{" + (names + ["\"name\(index)\":0"]).joined(separator: ",") + "}"
            #expect(failure(Array(text.utf8)) == .duplicateName)
            let escaped = "{" + (names + ["\"n\\u0061me\(index)\":0"]).joined(separator: ",") + "}"
            #expect(failure(Array(escaped.utf8)) == .duplicateName)
        }
    }

    @Test("holds each limit, and refuses one past it")
    func holdsLimits() {
        let nested = { (depth: Int) in
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8
            )
        }
        #expect(failure(nested(32)) == nil)
        #expect(failure(nested(33)) == .tooDeep)
        #expect(failure(nested(100_000)) == .tooDeep)

        let bytes = Array("[1,2,3]".utf8)
        #expect(failure(bytes, JSONLimits(textBytes: 7)) == nil)
        #expect(failure(bytes, JSONLimits(textBytes: 6)) == .tooManyBytes)
        #expect(failure(bytes, JSONLimits(entryCount: 4)) == nil)
        #expect(failure(bytes, JSONLimits(entryCount: 3)) == .tooManyValues)

        let object = Array(#"{"a":1,"b":{"c":2,"d":3}}"#.utf8)
        #expect(failure(object, JSONLimits(memberCount: 2)) == nil)
        #expect(failure(object, JSONLimits(memberCount: 1)) == .tooManyMembers)
        #expect(failure(object, JSONLimits(entryCount: 9)) == nil)
        #expect(failure(object, JSONLimits(entryCount: 8)) == .tooManyValues)

        #expect(failure(Array("12345".utf8), JSONLimits(numberBytes: 5)) == nil)
        #expect(failure(Array("123456".utf8), JSONLimits(numberBytes: 5)) == .numberTooLong)
    }

    @Test("a tape serves again after an error, and skips subtrees by `next`")
    func reusesTape() throws {
        var tape = JSONTape()
        #expect(throws: JSONError.self) { try tape.parse(Array("[1,[2".utf8).span) }
        #expect(tape.entries.isEmpty)
        let bytes = Array(#"{"a":[1,{"b":2}],"c":"x\n"}"#.utf8)
        try tape.parse(bytes.span)
        #expect(tape.entries[0].kind == .object)
        #expect(tape.text(1, in: bytes.span) == "a")
        let second = Int(tape.entries[2].next)
        #expect(tape.text(second, in: bytes.span) == "c")
        #expect(tape.text(second + 1, in: bytes.span) == "x\n")
        #expect(Int(tape.entries[0].next) == tape.entries.count)
        #expect(Array(bytes[tape.entries[2].range]) == Array(#"[1,{"b":2}]"#.utf8))
    }

    private func failure(_ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONError.Code? {
        do {
            _ = try JSON.parse(bytes, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }
}
