import HatoWire
import Testing

@Suite("ResponseHead")
struct ResponseHeadTests {
    @Test("writes a status line, fields and the empty line")
    func writes() {
        var bytes: [UInt8] = []
        ResponseHead.append(status: 201, to: &bytes)
        ResponseHead.append(field: "Content-Type", "application/json", to: &bytes)
        ResponseHead.append(contentLength: 1_234_567_890, to: &bytes)
        ResponseHead.append(dateSecondsSinceEpoch: 784_111_777, to: &bytes)
        #expect(ResponseHead.append(name: "X-A", value: "b é\tc", to: &bytes))
        #expect(ResponseHead.append(name: "X-B", value: Array("c".utf8)[...], to: &bytes))
        ResponseHead.end(&bytes)
        let text = """
            HTTP/1.1 201 Created\r
            Content-Type: application/json\r
            Content-Length: 1234567890\r
            Date: Sun, 06 Nov 1994 08:49:37 GMT\r
            X-A: b é\tc\r
            X-B: c\r
            \r\n
            """
        #expect(bytes == Array(text.utf8))
    }

    @Test("writes the interim answer as a whole")
    func writesContinue() {
        var bytes: [UInt8] = []
        ResponseHead.appendContinue(to: &bytes)
        #expect(bytes == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }

    @Test(
        "refuses names and values that could split an answer",
        arguments: [
            ("X", "a\r\nSet-Cookie: b"), ("X", "a\nb"), ("X", "a\rb"), ("X", "\u{0}"),
            ("X", "\u{7F}"), ("", "a"), ("X:", "a"), ("X\r\nY", "a"), ("X Y", "a"), ("é", "a"),
        ]
    )
    func refuses(name: String, value: String) {
        var bytes = Array("before".utf8)
        #expect(!ResponseHead.append(name: name, value: value, to: &bytes))
        #expect(bytes == Array("before".utf8))
        guard name == "X" else { return }
        #expect(!ResponseHead.append(name: "X", value: Array(value.utf8)[...], to: &bytes))
        #expect(bytes == Array("before".utf8))
    }

    @Test(
        "writes numbers in decimal",
        arguments: [(0, "0"), (9, "9"), (10, "10"), (101, "101"), (Int.max, "9223372036854775807")]
    )
    func writesNumbers(number: Int, text: String) {
        var bytes: [UInt8] = []
        ResponseHead.append(number: number, to: &bytes)
        #expect(bytes == Array(text.utf8))
    }
}
