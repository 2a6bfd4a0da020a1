import HatoWire
import Testing

/// What a parser made of some bytes, in values that compare.
struct Heard: Equatable {
    var steps: [WebSocketParser.Step] = []
    var payloads: [[UInt8]] = []
}

/// Feeds `bytes` in pieces of the sizes that `nextSize` gives.
func hear(
    _ bytes: [UInt8],
    role: WebSocketParser.Role = .server,
    limit: Int = 1_048_576,
    allowsCompression: Bool = false,
    nextSize: () -> Int
) -> Heard {
    var parser = WebSocketParser(
        role: role,
        messageLimitBytes: limit,
        allowsCompression: allowsCompression
    )
    var heard = Heard()
    var fed = 0
    while fed < bytes.count {
        let piece = Array(bytes[fed..<min(fed + max(nextSize(), 1), bytes.count)])
        fed += piece.count
        var offset = 0
        repeat {
            let step = parser.parse(piece.span, from: &offset)
            guard step != .needsMore else { break }
            heard.steps.append(step)
            if case .failed = step { continue }
            heard.payloads.append(parser.payload)
        } while offset < piece.count
    }
    return heard
}

/// The same, having made sure that no split changes it.
func hear(
    _ bytes: [UInt8],
    role: WebSocketParser.Role = .server,
    limit: Int = 1_048_576,
    allowsCompression: Bool = false
) -> Heard {
    let hear = { (size: Int) in
        HatoWireTests.hear(
            bytes,
            role: role,
            limit: limit,
            allowsCompression: allowsCompression
        ) { size }
    }
    let whole = hear(Int.max / 2)
    #expect(hear(1) == whole)
    return whole
}

/// Feeds `bytes` from `offset` on and expects the step that this makes.
func expectStep(
    _ step: WebSocketParser.Step,
    of parser: inout WebSocketParser,
    on bytes: [UInt8],
    from offset: inout Int,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let made = parser.parse(bytes.span, from: &offset)
    #expect(made == step, sourceLocation: sourceLocation)
}

/// A frame of any bits, legal or not.
func frame(
    _ opcode: UInt8,
    _ payload: [UInt8] = [],
    isFinal: Bool = true,
    reserved: UInt8 = 0,
    isMasked: Bool = true,
    lengthBytes: Int? = nil,
    announced: UInt64? = nil
) -> [UInt8] {
    let length = announced ?? UInt64(payload.count)
    let width = lengthBytes ?? (length < 126 ? 0 : length < 65_536 ? 2 : 8)
    let mask: UInt8 = isMasked ? 0x80 : 0
    var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
    bytes.append(mask | (width == 0 ? UInt8(length) : width == 2 ? 126 : 127))
    for index in 0..<width {
        bytes.append(UInt8(truncatingIfNeeded: length >> UInt64((width - 1 - index) * 8)))
    }
    guard isMasked else { return bytes + payload }
    let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
}

private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite("WebSocketParser")
struct WebSocketParserTests {
    @Test("reads the examples of RFC 6455 5.7")
    func examples() {
        let hello = text("Hello")
        let masked: [UInt8] = [
            0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
        ]
        #expect(hear(masked) == Heard(steps: [.message(isText: true)], payloads: [hello]))
        let plain: [UInt8] = [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        let heard = hear(plain, role: .client)
        #expect(heard == Heard(steps: [.message(isText: true)], payloads: [hello]))
        let fragments: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
        #expect(hear(fragments, role: .client) == heard)
        let ping: [UInt8] = [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        #expect(hear(ping, role: .client) == Heard(steps: [.ping], payloads: [hello]))
    }

    @Test(
        "reads payloads of every length form",
        arguments: [0, 1, 7, 8, 9, 125, 126, 127, 1_000, 65_535, 65_536, 100_003]
    )
    func lengths(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let expected = Heard(steps: [.message(isText: false)], payloads: [payload])
        #expect(hear(frame(2, payload)) == expected)
        #expect(hear(frame(2, payload, isMasked: false), role: .client) == expected)
    }

    @Test("puts fragments together, with control frames between them")
    func fragments() {
        let bytes =
            frame(1, [0xE2], isFinal: false) + frame(9, text("x"))
            + frame(0, [0x82], isFinal: false)
            + frame(0, isFinal: false) + frame(10, text("y")) + frame(0, [0xAC])
            + frame(2, [1], isFinal: false) + frame(0, [2]) + frame(1)
        let expected = Heard(
            steps: [
                .ping, .pong, .message(isText: true), .message(isText: false),
                .message(isText: true),
            ],
            payloads: [text("x"), text("y"), text("€"), [1, 2], []]
        )
        #expect(hear(bytes) == expected)
    }

    @Test("refuses unmasked frames as a server and masked ones as a client")
    func masks() {
        let failed: [WebSocketParser.Step] = [.failed(.protocolError)]
        #expect(hear(frame(1, text("hi"), isMasked: false)).steps == failed)
        #expect(hear(frame(1, text("hi")), role: .client).steps == failed)
    }

    @Test(
        "fails with 1002 on frames that the protocol does not allow",
        arguments: [
            frame(9, text("a"), isFinal: false), frame(8, [3, 232], isFinal: false),
            frame(10, isFinal: false), frame(9, Array(repeating: 97, count: 126)),
            frame(8, [3, 232] + Array(repeating: 97, count: 124)), frame(9, lengthBytes: 2),
            frame(9, lengthBytes: 8), frame(0, text("a")), frame(0, isFinal: false),
            frame(1, text("a"), isFinal: false) + frame(1, text("b")),
            frame(2, text("a"), isFinal: false) + frame(1, text("b")),
            frame(3, text("a")), frame(4), frame(5), frame(6), frame(7), frame(11), frame(12),
            frame(13), frame(14), frame(15), frame(1, text("a"), reserved: 1),
            frame(1, text("a"), reserved: 2), frame(1, text("a"), reserved: 4),
            frame(9, text("a"), reserved: 4),
            frame(1, isFinal: false) + frame(0, text("a"), reserved: 4),
            frame(1, text("hello"), lengthBytes: 2), frame(1, text("hello"), lengthBytes: 8),
            frame(2, Array(repeating: 0, count: 125), lengthBytes: 2),
            frame(2, lengthBytes: 8, announced: 65_535),
            frame(2, lengthBytes: 8, announced: 1 << 63),
            frame(8, [3]), text("GET / HTTP/1.1\r\n\r\n"),
        ] as [[UInt8]]
    )
    func refuses(bytes: [UInt8]) {
        let heard = hear(bytes)
        #expect(heard.steps == [.failed(.protocolError)])
        #expect(WebSocketFailure.protocolError.closeCode == 1002)
    }

    @Test(
        "fails with 1007 on text that is not UTF-8",
        arguments: [
            frame(1, [0xFF, 0xFE]), frame(1, [0xED, 0xA0, 0x80]), frame(1, [0xE2, 0x82]),
            frame(1, [0xE2], isFinal: false) + frame(0, [0x28, 0xA1]),
            frame(1, text("ok"), isFinal: false) + frame(0, [0xC0]),
            frame(1, [0xE2, 0x82], isFinal: false) + frame(9) + frame(0),
            frame(8, [3, 232, 0xFF, 0xFE]), frame(8, [3, 232, 0xE2, 0x82]),
        ] as [[UInt8]]
    )
    func refusesText(bytes: [UInt8]) {
        #expect(hear(bytes).steps.last == .failed(.invalidText))
        #expect(WebSocketFailure.invalidText.closeCode == 1007)
    }

    @Test("fails on a wrong byte inside a frame that is not whole")
    func failsFast() {
        let whole = frame(1, text("hello") + [0xFF] + text("world and more"))
        let cut = Array(whole.prefix(6 + 6))
        #expect(hear(cut).steps == [.failed(.invalidText)])
    }

    @Test("leaves bytes of binary messages alone")
    func binary() {
        #expect(hear(frame(2, [0xFF, 0xFE])).payloads == [[0xFF, 0xFE]])
    }

    @Test(
        "hears a close with and without a code",
        arguments: [
            ([], nil, ""), ([3, 232], 1000, ""), ([3, 233] + text("bye"), 1001, "bye"),
            ([3, 235], 1003, ""), ([3, 239], 1007, ""), ([3, 246], 1014, ""),
            ([0x0B, 0xB8], 3000, ""), ([0x13, 0x87] + text("é"), 4999, "é"),
        ] as [([UInt8], UInt16?, String)]
    )
    func closes(payload: [UInt8], code: UInt16?, reason: String) {
        let heard = hear(frame(8, payload) + frame(1, text("late")) + frame(15))
        #expect(heard == Heard(steps: [.close(code: code)], payloads: [text(reason)]))
    }

    @Test(
        "fails with 1002 on close codes that are never sent",
        arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]
            as [UInt16]
    )
    func refusesCode(code: UInt16) {
        let payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
        #expect(hear(frame(8, payload)).steps == [.failed(.protocolError)])
        #expect(!WebSocketFrame.isSendable(closeCode: code))
    }

    @Test("ignores what follows a failure")
    func ignoresAfterFailure() {
        let heard = hear(frame(15) + frame(1, text("late")))
        #expect(heard.steps == [.failed(.protocolError)])
    }

    @Test("accepts a message at the limit and fails with 1009 one byte past it")
    func limit() {
        let payload = Array(repeating: UInt8(97), count: 200)
        #expect(hear(frame(1, payload), limit: 200).payloads == [payload])
        #expect(hear(frame(1, payload), limit: 199).steps == [.failed(.messageTooLarge)])
        #expect(WebSocketFailure.messageTooLarge.closeCode == 1009)
        let halves =
            frame(1, Array(payload.prefix(100)), isFinal: false)
            + frame(0, Array(payload.prefix(100)))
        #expect(hear(halves, limit: 200).payloads == [payload])
        #expect(hear(halves, limit: 199).steps == [.failed(.messageTooLarge)])
        #expect(hear(frame(2), limit: 0).payloads == [[]])
    }

    @Test("counts no control frame towards a message's limit")
    func controlsAreFree() {
        let bytes = frame(1, text("ab"), isFinal: false) + frame(9, text("long ping")) + frame(0)
        #expect(hear(bytes, limit: 2).steps == [.ping, .message(isText: true)])
    }

    @Test(
        "fails as soon as a length past the limit is announced",
        arguments: [1 << 20, 1 << 40, 1 << 62]
    )
    func announcedLength(length: UInt64) {
        let header = Array(frame(2, announced: length).prefix(10))
        #expect(hear(header, limit: 65_536).steps == [.failed(.messageTooLarge)])
    }

    @Test("does not allocate what a frame announces, and holds nothing of empty fragments")
    func boundsMemory() {
        var parser = WebSocketParser(role: .server, messageLimitBytes: 1 << 30)
        let start = frame(2, [1, 2, 3], isFinal: false, announced: 1 << 29)
        var offset = 0
        expectStep(.needsMore, of: &parser, on: start, from: &offset)
        #expect(parser.payload.count == 3)
        #expect(parser.payload.capacity < 1_000)

        parser = WebSocketParser(role: .server, messageLimitBytes: 1_000)
        let flood =
            frame(1, isFinal: false) + (0..<20_000).flatMap { _ in frame(0, isFinal: false) }
        offset = 0
        expectStep(.needsMore, of: &parser, on: flood, from: &offset)
        #expect(offset == flood.count)
        #expect(parser.payload.capacity == 0)
    }

    @Test("gives a payload away, and is idle between messages only")
    func takesPayload() {
        var parser = WebSocketParser(role: .server, messageLimitBytes: 100)
        #expect(parser.isIdle)
        let bytes =
            frame(1, text("one"), isFinal: false) + frame(9, text("p")) + frame(0, text("2"))
        var offset = 0
        expectStep(.ping, of: &parser, on: bytes, from: &offset)
        let ping = parser.takePayload()
        #expect(ping == text("p"))
        #expect(!parser.isIdle)
        expectStep(.message(isText: true), of: &parser, on: bytes, from: &offset)
        let message = parser.takePayload()
        #expect(message == text("one2"))
        let nothing = parser.takePayload()
        #expect(nothing.isEmpty)
        #expect(parser.isIdle)
        let next = frame(1, text("next"))
        offset = 0
        expectStep(.message(isText: true), of: &parser, on: next, from: &offset)
        #expect(parser.payload == text("next"))
    }

    @Test("hears the same however mutated frames are split", arguments: 0..<8)
    func fuzz(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let seeds: [[UInt8]] = [
            frame(1, text("plain text, long enough for words")) + frame(9, text("ping")),
            frame(1, text("あ"), isFinal: false) + frame(0, text("い🐦"), isFinal: false) + frame(0),
            frame(2, Array(repeating: 7, count: 200)) + frame(10),
            frame(8, [3, 232] + text("bye")) + frame(1, text("late")),
            frame(2, Array(repeating: 9, count: 130), isFinal: false) + frame(0, [1]),
        ]
        let telling: [UInt8] = [0x00, 0x80, 0x81, 0x82, 0x88, 0x89, 0x8A, 0xFE, 0xFF, 0x01, 0xC1]
        var failures: Set<UInt16> = []
        var messageCount = 0
        for _ in 0..<1_500 {
            let start =
                (seeds.randomElement(using: &generator) ?? [])
                + (seeds.randomElement(using: &generator) ?? [])
            let bytes = generator.mutate(start, telling: telling)
            let whole = hear(bytes, limit: 256) { Int.max / 2 }
            let split = hear(bytes, limit: 256) { Int.random(in: 1...9, using: &generator) }
            #expect(split == whole, "\(bytes)")
            for payload in whole.payloads { #expect(payload.count <= 256) }
            for step in whole.steps {
                if case .failed(let failure) = step { failures.insert(failure.closeCode) }
                if case .message = step { messageCount += 1 }
            }
        }
        #expect(failures == [1002, 1007, 1009])
        #expect(messageCount > 500)
    }
}
