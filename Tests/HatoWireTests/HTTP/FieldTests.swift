import HatoWire
import Testing

@Suite("RequestParser: fields")
struct FieldTests {
    @Test(
        "reads names and values, white space around values taken away",
        arguments: [
            ("X-A: b\r\n", "X-A:b"),
            ("X-A:b\r\n", "X-A:b"),
            ("x-a:\t b \t\r\n", "x-a:b"),
            ("X-Empty:\r\n", "X-Empty:"),
            ("X-Blank:   \r\n", "X-Blank:"),
            ("X-In: a b\tc\r\n", "X-In:a b\tc"),
            (
                "X-Long-Name-Without-End: a\tlong\tvalue, with tabs\tand more than a word\r\n",
                "X-Long-Name-Without-End:a\tlong\tvalue, with tabs\tand more than a word"
            ),
            ("!#$%&'*+-.^_`|~09Az: x\r\n", "!#$%&'*+-.^_`|~09Az:x"),
            ("X-Colon: a:b: c\r\n", "X-Colon:a:b: c"),
        ]
    )
    func accepts(line: String, field: String) throws {
        let outcome = steadyOutcome(of: get(line))
        let summary = try #require(outcome.summary, "\(outcome)")
        #expect(summary.fields == [Array("Host:a".utf8), Array(field.utf8)])
    }

    @Test("passes bytes above ASCII through a value")
    func acceptsOpaqueBytes() throws {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX-O: caf".utf8) + [0xC3, 0xA9, 0x20, 0xFF]
        let outcome = steadyOutcome(of: bytes + Array("\r\n\r\n".utf8))
        let summary = try #require(outcome.summary, "\(outcome)")
        #expect(summary.fields[1] == Array("X-O:caf".utf8) + [0xC3, 0xA9, 0x20, 0xFF])
    }

    @Test(
        "refuses a malformed field",
        arguments: [
            "X-A : 1\r\n", " X: y\r\n", "X-A: 1\r\n 2\r\n", "X-A: 1\r\n\t2\r\n", "NoColon\r\n",
            ": x\r\n", ":\r\nI: am\r\n", "X[]: 1\r\n", "X\u{0}A: b\r\n", "Xé: b\r\n",
            "X-A: a\u{0}b\r\n", "X-A: a\u{1}b\r\n", "X-A: a\u{7F}b\r\n", "X-A: a\rb: c\r\n",
            "X-A: 1\nX-B: 2\r\n", "X-A: a\r\r\n", "X-A\r\n", "X A: 1\r\n", "X-A: \u{B}b\r\n",
            "Content-Length : 5\r\n", "Transfer-Encoding : chunked\r\n", "Content-Length 5\r\n",
            "X-Folded:\r\n chunked\r\n", "Long-Enough-For-A-Word(: 1\r\n",
        ]
    )
    func refuses(lines: String) {
        #expect(steadyOutcome(of: get(lines)).failure == .malformedField)
    }

    @Test("ends the block at an empty line only")
    func refusesLooseEnd() {
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\rZGET /evil: HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(steadyOutcome(of: text).failure == .malformedField)
    }

    @Test("finds fields by name without regard to case")
    func findsFields() {
        let text = get("X-Ncmb-Key: one\r\nX-NCMB-KEY: two\r\nX-Ncmb-Ke: three\r\n")
        var parser = RequestParser()
        var offset = 0
        expectStep(.request, of: &parser, on: Array(text.utf8), from: &offset)
        let request = parser.request
        #expect(request.text("x-ncmb-key") == "one")
        #expect(request.value("x-ncmb-key").map(Array.init) == Array("one".utf8))
        #expect(
            request.values("x-ncmb-key").map(Array.init) == ["one", "two"].map { Array($0.utf8) }
        )
        #expect(request.count(of: "x-ncmb-key") == 2)
        #expect(request.count(of: "x-other") == 0)
        #expect(request.text("x-other") == nil)
    }

    @Test(
        "accepts a well-formed Host",
        arguments: [
            "a", "a.example:8080", "127.0.0.1", "[::1]", "[2001:db8::1]:443", "", "a:", "%41b",
            "a_b-c~d!$&'()*+,;=",
        ]
    )
    func acceptsHost(host: String) throws {
        let outcome = steadyOutcome(of: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        let summary = try #require(outcome.summary, "\(outcome)")
        #expect(summary.authority == Array(host.utf8))
    }

    @Test(
        "refuses a missing, repeated or malformed Host",
        arguments: [
            "", "X: y\r\n", "Host: a\r\nHost: b\r\n", "Host: a\r\nhost: a\r\n", "Host: a b\r\n",
            "Host: a/b\r\n", "Host: u@a\r\n", "Host: a:port\r\n", "Host: a, b\r\n",
            "Host: a:123456\r\n", "Host: [::1\r\n", "Host: []\r\n", "Host: [g]\r\n",
            "Host: [::1]x\r\n", "Host: :80\r\n", "Host: %4\r\n", "Host: %zz\r\n", "Host: é\r\n",
            "Host: a:1:2\r\n", "Host: a\"b\r\n",
        ]
    )
    func refusesHost(fields: String) {
        #expect(steadyOutcome(of: "GET / HTTP/1.1\r\n\(fields)\r\n").failure == .badHost)
    }

    @Test("needs no Host in HTTP/1.0")
    func needsNoHost() throws {
        let outcome = steadyOutcome(of: "GET / HTTP/1.0\r\n\r\n")
        let summary = try #require(outcome.summary, "\(outcome)")
        #expect(summary.authority == nil)
        #expect(summary.minorVersion == 0)
    }

    @Test(
        "says whether the connection goes on",
        arguments: [
            ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
            ("HTTP/1.1", "Connection: foo, CLOSE\r\n", false),
            ("HTTP/1.1", "Connection: keep-alive\r\nConnection: x ,close\r\n", false),
            ("HTTP/1.1", "Connection: closed\r\n", true),
            ("HTTP/1.1", "Connection: keep-alive, close\r\n", false),
            ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
            ("HTTP/1.0", "Connection: ,keep-alive ,\r\n", true),
            ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
        ]
    )
    func keepsAlive(version: String, fields: String, expected: Bool) throws {
        let outcome = steadyOutcome(of: get(fields, version: version))
        #expect(try #require(outcome.summary).keepsAlive == expected)
    }

    @Test("notes an Upgrade field in HTTP/1.1 only")
    func notesUpgrade() throws {
        let fields = "Connection: Upgrade\r\nUpgrade: h2c\r\n"
        #expect(try #require(steadyOutcome(of: get(fields)).summary).wantsUpgrade)
        let old = steadyOutcome(of: get(fields, version: "HTTP/1.0"))
        #expect(try !#require(old.summary).wantsUpgrade)
        #expect(try !#require(steadyOutcome(of: get("")).summary).wantsUpgrade)
    }
}
