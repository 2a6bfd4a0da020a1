import HatoWire

/// Forms: the first line is the value of Content-Type, the body follows.
enum MultipartTarget {
    private static let limits = {
        var limits = MultipartParser.Limits()
        limits.parts = 4
        limits.headBytes = 128
        return limits
    }()

    /// What a parser said, contents of one part put together.
    struct Trace: Equatable {
        var parts: [MultipartPart] = []
        var contents: [[UInt8]] = []
        var ended = 0
        var failure: MultipartParser.Failure?
        var isFinished = false
    }

    static func check(_ input: [UInt8]) throws {
        let parts = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, MultipartParser(contentType: parts[0], limits: limits) != nil else {
            return
        }
        let body = Array(parts[1])
        let whole = try trace(parts[0], body, .max)
        for size in pieceSizes {
            try hold(try trace(parts[0], body, size) == whole, "pieces of \(size) read otherwise")
        }
        try hold(whole.parts.count <= limits.parts, "parts past their limit")
        try hold(whole.contents.count == whole.parts.count, "a part without its content")
        try hold((0...1).contains(whole.parts.count - whole.ended), "an end without a part")
        try hold(whole.failure == nil || !whole.isFinished, "a failure that is an end")
        try hold(!whole.isFinished || whole.ended == whole.parts.count, "an end inside a part")
        let total = whole.contents.reduce(0) { $0 + $1.count }
        try hold(total <= body.count, "more content than came")
    }

    private static func trace(
        _ contentType: ArraySlice<UInt8>,
        _ body: [UInt8],
        _ pieceSize: Int
    ) throws -> Trace {
        guard var parser = MultipartParser(contentType: contentType, limits: limits) else {
            throw Violation("a second look at the boundary judges otherwise")
        }
        var trace = Trace()
        for piece in body.pieces(of: pieceSize) {
            var offset = 0
            reading: while true {
                switch parser.parse(piece.span, from: &offset) {
                case .needsMore:
                    try hold(offset == piece.count, "bytes are left though more are wanted")
                    break reading
                case .part(let part):
                    try hold(trace.ended == trace.parts.count, "a part inside a part")
                    trace.parts.append(part)
                    trace.contents.append([])
                case .content(let bytes):
                    try hold(!bytes.isEmpty, "content of no bytes")
                    try hold(trace.ended < trace.parts.count, "content outside of parts")
                    trace.contents[trace.contents.count - 1] += bytes
                case .partEnded: trace.ended += 1
                case .finished: trace.isFinished = true
                case .failed(let failure):
                    trace.failure = failure
                    break reading
                }
            }
        }
        try hold(parser.isFinished == trace.isFinished, "an end that was not told")
        return trace
    }
}
