import HatoWire
import ObjectModel
import Testing

@Suite("Pattern")
struct PatternTests {
    @Test(
        "is found in strings, as PCRE2 says",
        arguments: [
            ("b", "abc", true), ("^b", "abc", false), ("^a", "abc", true), ("c$", "abc", true),
            ("", "", true), ("", "x", true), ("^$", "", true), ("^$", "x", false),
            ("^東.都$", "東京都", true), ("^...$", "東京都", true), ("(?i)ÄPFEL", "äpfel", true),
            ("ÄPFEL", "äpfel", false), ("a/b", "a/b", true), (#"^a"b\\c$"#, #"a"b\c"#, true),
            ("^a\nb$", "a\nb", true), ("(?m)^b", "a\nb", true), ("^b", "a\nb", false),
            ("a.b", "a\nb", false), ("(?s)a.b", "a\nb", true), ("b$", "ab\n", true),
            (#"\p{Han}"#, "x京", true), (#"^\w+$"#, "abc_9", true), (#"^\w+$"#, "東京", false),
            (#"(\w)\1"#, "hello", true), (#"(?<!x)a"#, "xa", false), ("é", "e\u{301}", false),
            ("\u{0}", "a\u{0}b", true), ("^.$", "😀", true), (#"\x{1F600}"#, "a😀", true),
            ("(?<n>a)(?&n)", "aa", true), ("(*pla:b)b", "ab", true), (#"\(*A"#, "A", true),
        ]
    )
    func finds(pattern: String, string: String, isFound: Bool) throws {
        #expect(try matches(pattern, .string(Text(string))) == isFound)
        // An array will do with one such element; nothing but strings has a text.
        #expect(
            try matches(pattern, .array([.number(JSONNumber(1)), .string(Text(string))])) == isFound
        )
    }

    @Test("is found in nothing but strings")
    func otherValues() throws {
        for text in [
            "null", "true", "5", "[]", "[[\"5\"]]", #"{"a":"5"}"#,
            #"{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}"#,
        ] {
            #expect(try !matches("", try value(text)))
        }
    }

    @Test(
        "refuses what is no pattern, and what would steer the search",
        arguments: [
            "(", "[", "*", "a{2,1}", #"\"#, "(?<n", #"\C"#, #"a\Gb"#, "(*COMMIT)a", "(*UCP)a",
            "(*NO_JIT)a", "(*LIMIT_MATCH=1)a", "a(*SKIP)b", "(?1)", "(?<=a+)b", "(*:mark)a",
        ]
    )
    func refuses(pattern: String) {
        #expect(failure { () throws(DomainError) in _ = try Pattern(Text(pattern)) } == refusal)
    }

    @Test(
        "takes a pattern of a thousand bytes and some, and none that is longer or compiles to more"
    )
    func limitsLength() throws {
        let limits = PatternLimits()
        let pattern = { (count: Int) in Text(String(repeating: "a", count: count)) }
        _ = try Pattern(pattern(limits.lengthBytes))
        #expect(
            failure { () throws(DomainError) in _ = try Pattern(pattern(limits.lengthBytes + 1)) }
                == refusal
        )
        let small = try Pattern("abc").memoryBytes
        _ = try Pattern("abc", limits: PatternLimits(compiledBytes: small))
        for (text, bytes) in [("abc", small - 1), ("(?:(?:ab?c){1,99}d){1,99}", 262_144)] {
            let limits = PatternLimits(compiledBytes: bytes)
            #expect(
                failure { () throws(DomainError) in _ = try Pattern(Text(text), limits: limits) }
                    == refusal
            )
        }
    }

    @Test(
        "a search that goes on and on voids the query",
        arguments: ["(a+)+$", "^(a|a)*$", "(a*)*[bc]", "^(?:a?){30}a{30}$", "(?:a+)+[bc]"]
    )
    func limitsSteps(pattern: String) throws {
        let text = String(repeating: "a", count: 40) + "!"
        var matcher = try matcher(pattern)
        #expect(matcher.matches(document(.string(Text(text))).span, facts) == false)
        #expect(matcher.failure == refusal)
        // From then on nothing matches, not even what would have.
        #expect(matcher.matches(document(.string("aaaaaa")).span, facts) == false)
        #expect(matcher.failure == refusal)
    }

    @Test("a search within the limit does not")
    func withinLimits() throws {
        var matcher = try matcher("(a+)+$")
        #expect(matcher.matches(document(.string("aaaa")).span, facts) == true)
        #expect(matcher.matches(document(.string("aaa!")).span, facts) == false)
        #expect(matcher.failure == nil)
    }

    @Test("negated, or one of several choices, a search without end still voids the query")
    func voidsChoices() throws {
        let path = try FieldPath("f")
        let costly = Filter.field(path, .matches(try Pattern("(a+)+$")))
        var matcher = Matcher(.any([costly, .field(path, .exists(true))]))
        let text = Text(String(repeating: "a", count: 40) + "!")
        #expect(matcher.matches(document(.string(text)).span, facts) == false)
        #expect(matcher.failure == refusal)
    }

    @Test("long texts are searched to their end, wherever a match begins")
    func longTexts() throws {
        for (filler, needle) in [("a", "bb"), ("é", "東bb"), ("😀", "bb")] {
            for count in [0, 1, 63, 64, 65, 127, 128, 129, 500, 511, 512, 513, 1_023, 5_000] {
                let text = String(repeating: filler, count: count) + needle
                #expect(try matches(".bb$", .string(Text("x" + text))))
                #expect(try matches("bb", .string(Text(text))))
                #expect(try !matches("bbb", .string(Text(text))))
                #expect(try matches("^\(filler)*\(needle)$", .string(Text(text))))
                #expect(try matches("(?<=\(needle))$", .string(Text(text + "\n"))))
                #expect(try !matches("^bb", .string(Text("a" + text))))
            }
        }
    }

    @Test("time for long texts is limited, and a pattern that is quadratic in them uses it up")
    func limitsTime() throws {
        let text = document(.string(Text(String(repeating: "ab", count: 100_000))))
        let limits = PatternLimits(time: .milliseconds(20))
        var matcher = Matcher(
            .field(try FieldPath("f"), .matches(try Pattern("[ab]*[cd]", limits: limits))),
            limits: limits
        )
        let clock = ContinuousClock()
        let begin = clock.now
        #expect(matcher.matches(text.span, facts) == false)
        #expect(matcher.failure == refusal)
        #expect(begin.duration(to: clock.now) < .seconds(5))
        // A matcher that is told nothing goes by what its pattern was made with.
        let none = try Pattern("b", limits: PatternLimits(time: .zero))
        var strict = Matcher(.all([.field(try FieldPath("f"), .matches(none))]))
        #expect(strict.matches(text.span, facts) == false)
        #expect(strict.failure == refusal)
        // What is not quadratic has the time.
        var cheap = try self.matcher("[cd]")
        #expect(cheap.matches(text.span, facts) == false)
        #expect(cheap.failure == nil)
    }

    @Test("a simple pattern has the time for a hundred thousand texts, whatever they add up to")
    func honestPatterns() throws {
        let text = String(repeating: "dolor sit amet ", count: 8)
        let large = document(.string(Text(String(repeating: text, count: 8))))
        let small = document(.string(Text(text)))
        for pattern in ["^foo", "lorem", "(?i)lorem", #"\bl\w+m\b"#] {
            var matcher = try matcher(pattern)
            for _ in 0..<20_000 {
                #expect(matcher.matches(small.span, facts) == false)
            }
            for _ in 0..<5_000 {
                #expect(matcher.matches(large.span, facts) == false)
            }
            #expect(matcher.failure == nil)
        }
    }

    @Test("a pattern whose searches go back and forth uses up the time over many texts")
    func limitsSum() throws {
        // Some thousands of steps from each of a few places: each text is within the steps.
        let text = document(.string(Text(String(repeating: "a", count: 11) + "!")))
        var matcher = try matcher("(a+)+$")
        var count = 0
        while matcher.failure == nil, count < 1_000_000 {
            #expect(matcher.matches(text.span, facts) == false)
            count += 1
        }
        #expect(matcher.failure == refusal)
        #expect(count > 100)
    }

    @Test("damaged UTF-8 has no match and does not trap")
    func damagedText() throws {
        for bytes: [UInt8] in [[0xFF], [0xE6, 0x9D], [0xC0, 0x80], [0xED, 0xA0, 0x80]] {
            for count in [0, 600] {
                let document =
                    Array(#"{"f":""#.utf8) + Array(repeating: 0x61, count: count) + bytes
                    + Array(#""}"#.utf8)
                for pattern in ["", "a", ".", "[^a]"] {
                    var matcher = try matcher(pattern)
                    #expect(matcher.matches(document.span, facts) == false)
                    #expect(matcher.failure == nil)
                }
            }
        }
    }

    @Test("threads share a pattern")
    func threads() async throws {
        let pattern = try Pattern("^(a+)-(b+)$")
        let path = try FieldPath("f")
        let counts = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var matcher = Matcher(.field(path, .matches(pattern)))
                    return (0..<500).count { turn in
                        let isMatch = (turn + task).isMultiple(of: 2)
                        let text = String(repeating: "a", count: turn + 1) + (isMatch ? "-b" : "-")
                        let found = matcher.matches(document(.string(Text(text))).span, facts)
                        return found == isMatch
                    }
                }
            }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 500, count: 8))
    }

    private let refusal = DomainError(.invalidValue, "$regex")

    private func matcher(_ pattern: String) throws -> Matcher {
        Matcher(.field(try FieldPath("f"), .matches(try Pattern(Text(pattern)))))
    }

    private func matches(_ pattern: String, _ value: Value) throws -> Bool {
        var matcher = try matcher(pattern)
        let isMatch = matcher.matches(document(value).span, facts)
        #expect(matcher.failure == nil)
        return isMatch
    }
}

private let facts = ObjectFacts(
    id: "ID1",
    created: Timestamp(millisecondsSinceEpoch: 0),
    updated: Timestamp(millisecondsSinceEpoch: 0)
)

private func document(_ value: Value) -> [UInt8] {
    Value.object([ValueMember(name: "f", value: value)]).canonicalBytes
}
