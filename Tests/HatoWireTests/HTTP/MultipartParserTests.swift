import HatoTesting
import Testing

@testable import HatoWire

@Suite("MultipartParser")
struct MultipartParserTests {
    private typealias Step = MultipartParser.Step
    private static let type = #"multipart/form-data; boundary="a b'c""#

    /// Feeds the body in pieces and joins the content of each part.
    private func steps(
        _ body: [UInt8],
        contentType: String = type,
        pieceBytes: Int = .max,
        limits: MultipartParser.Limits = MultipartParser.Limits()
    ) throws -> [Step] {
        let parser = MultipartParser(contentType: Array(contentType.utf8), limits: limits)
        var machine = try #require(parser)
        var steps: [Step] = []
        var start = 0
        while start < body.count {
            let end = start + min(pieceBytes, body.count - start)
            let piece = Array(body[start..<end])
            start = end
            var offset = 0
            reading: while true {
                let step = machine.parse(piece.span, from: &offset)
                switch (steps.last, step) {
                case (_, .needsMore): break reading
                case (_, .failed):
                    steps.append(step)
                    return steps
                case (.content(let before)?, .content(let more)):
                    steps[steps.count - 1] = .content(before + more)
                default: steps.append(step)
                }
            }
        }
        #expect(machine.isFinished == (steps.last == .finished))
        return steps
    }

    private func part(_ name: Text, file: Text? = nil, type: Text? = nil) -> Step {
        .part(MultipartPart(name: name, fileName: file, contentType: type))
    }

    private static let body = Array(
        """
        preamble\r
        --a b'c\r
        Content-Disposition: form-data; name="channel_name"\r
        \r
        private-room\r
        --a b'c  \r
        content-type: image/png\r
        CONTENT-DISPOSITION: form-data;name=file; filename="C:\\x \\"y\\".png"\r
        \r
        \r\r
        --a b'\r
        --a b'd\r\r
        --a b'c\r
        Content-Disposition: form-data; name=""\r
        \r
        \r
        --a b'c--
        epilogue \r
        --a b'c\r
        """.utf8
    )

    @Test(
        "finds parts, contents and the end, in pieces of any size",
        arguments: [1, 2, 3, 7, .max]
    )
    func pieces(size: Int) throws {
        #expect(
            try steps(Self.body, pieceBytes: size) == [
                part("channel_name"), .content(Array("private-room".utf8)), .partEnded,
                part("file", file: #"C:\x "y".png"#, type: "image/png"),
                .content(Array("\r\r\n--a b'\r\n--a b'd\r".utf8)), .partEnded,
                part(""), .partEnded, .finished,
            ]
        )
    }

    @Test(
        "reads the form that a browser's FormData makes",
        arguments: [
            "multipart/form-data; boundary=----WebKitFormBoundaryX",
            "Multipart/Form-Data;charset=utf-8 ; Boundary=\"----WebKitFormBoundaryX\"",
        ]
    )
    func browser(contentType: String) throws {
        let body =
            "------WebKitFormBoundaryX\r\nContent-Disposition: form-data; name=\"channel_name\"\r\n\r\n"
            + "a\r\n------WebKitFormBoundaryX--\r\n"
        #expect(
            try steps(Array(body.utf8), contentType: contentType)
                == [part("channel_name"), .content([0x61]), .partEnded, .finished]
        )
    }

    @Test(
        "refuses a type without a boundary that may be one",
        arguments: [
            "", "multipart/form-data", "multipart/form-data; boundary", "text/plain; boundary=a",
            "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a \"",
            "multipart/form-data; boundary=\"a\r\"", "multipart/mixed; boundary=a",
            "multipart/form-data; boundary=" + String(repeating: "x", count: 71),
        ]
    )
    func noBoundary(contentType: String) {
        #expect(MultipartParser(contentType: Array(contentType.utf8)) == nil)
    }

    @Test("takes a boundary of 70 characters")
    func longestBoundary() throws {
        let boundary = String(repeating: "x", count: 70)
        let body = Array("--\(boundary)--".utf8)
        #expect(
            try steps(body, contentType: "multipart/form-data; boundary=\(boundary)") == [.finished]
        )
    }

    @Test(
        "refuses damaged delimiters and heads",
        arguments: [
            ("--a b'cx", .badDelimiter), ("--a b'c-x", .badDelimiter),
            ("--a b'c\rx", .badDelimiter),
            ("--a b'c\n", .badDelimiter), ("--a b'c\r\n\r\n", .badHead),
            ("--a b'c\r\nContent-Disposition: form-data\r\n\r\n", .badHead),
            ("--a b'c\r\nContent-Disposition: attachment; name=a\r\n\r\n", .badHead),
            ("--a b'c\r\nnothing\r\n\r\n", .badHead), ("--a b'c\r\n: x\r\n\r\n", .badHead),
            (
                "--a b'c\r\nContent-Disposition: form-data; name=a\r\n"
                    + "Content-Disposition: form-data; name=b\r\n\r\n", .badHead
            ),
            ("--a b'c\r\nContent-Disposition: form-data; name=a\nX: y\r\n\r\n", .badHead),
        ] as [(String, MultipartParser.Failure)]
    )
    func damaged(body: String, failure: MultipartParser.Failure) throws {
        #expect(try steps(Array(body.utf8)).last == .failed(failure))
        #expect(try steps(Array(body.utf8), pieceBytes: 1).last == .failed(failure))
    }

    @Test("takes as many parts and bytes of a head as the limits say, and no more")
    func limits() throws {
        let head = "Content-Disposition: form-data; name=a\r\n\r\n"
        let one = "--a b'c\r\n\(head)x\r\n"
        var limits = MultipartParser.Limits()
        limits.parts = 2
        limits.headBytes = head.utf8.count
        let fine = Array((one + one + "--a b'c--").utf8)
        #expect(try steps(fine, limits: limits).last == .finished)
        let many = Array((one + one + one + "--a b'c--").utf8)
        #expect(try steps(many, limits: limits).last == .failed(.tooManyParts))
        limits.headBytes -= 1
        #expect(try steps(fine, limits: limits).last == .failed(.headTooLong))
    }

    @Test("random changes never trap, and read the same in one piece as byte by byte")
    func fuzz() throws {
        var generator = SeededGenerator(seed: 23)
        for _ in 0..<1_500 {
            var body = Self.body
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: body.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: body[index] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: body.remove(at: index)
                default: body.insert(body[body.count - 1 - index], at: index)
                }
            }
            #expect(try steps(body) == steps(body, pieceBytes: 1))
        }
    }
}
