/// Takes a multipart/form-data body apart (RFC 7578, RFC 2046 5.1), however its bytes come in.
///
/// Keeps a part's head at most, never its content: that is handed on as it comes, so that a file may be
/// larger than memory.
package struct MultipartParser: Sendable {
    package struct Limits: Sendable, Hashable {
        package var parts = 100
        /// The fields of one part, with their line ends.
        package var headBytes = 8_192

        package init() {}
    }

    package enum Failure: Error, Hashable, CaseIterable {
        case badDelimiter
        case badHead
        case headTooLong
        case tooManyParts
    }

    package enum Step: Equatable, Sendable {
        /// All bytes are taken.
        case needsMore
        /// A part begins.
        case part(MultipartPart)
        /// More of its content; never empty.
        case content([UInt8])
        case partEnded
        /// The last delimiter has come; what follows it means nothing.
        case finished
        /// Nothing can be read any more.
        case failed(Failure)
    }

    private enum State {
        case preamble, content
        /// Behind a delimiter: `--`, or the end of its line.
        case delimiter, delimiterDash, delimiterPadding, delimiterReturn
        case head
        case finished
        case failed(Failure)
    }

    private let limits: Limits
    /// `\r\n--boundary`; only its first byte is a CR, so that a failed match begins anew at most there.
    private let delimiter: [UInt8]
    private var state = State.preamble
    /// How much of the delimiter the last bytes are; the body's start counts as a line's.
    private var matched = 2
    /// How many of those belong to the line before, and are no content if the match fails.
    private var borrowed = 2
    private var head: [UInt8] = []
    private var parts = 0

    /// Creates a parser for the value of a Content-Type field; nil when it names no boundary that RFC
    /// 2046 allows.
    package init?(contentType: some Collection<UInt8>, limits: Limits = Limits()) {
        let value = FieldParameters(Array(contentType))
        guard value.first == Array("multipart/form-data".utf8),
            let boundary = value["boundary"], (1...70).contains(boundary.count),
            boundary.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), boundary.last != 0x20
        else { return nil }
        self.delimiter = Array("\r\n--".utf8) + boundary
        self.limits = limits
    }

    /// Whether the body may end here.
    package var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    /// Takes bytes from `offset` on until there is something to say.
    package mutating func parse(_ bytes: Span<UInt8>, from offset: inout Int) -> Step {
        while offset < bytes.count {
            if let step = step(bytes, &offset) { return step }
        }
        if case .failed(let failure) = state { return .failed(failure) }
        return .needsMore
    }

    private mutating func step(_ bytes: Span<UInt8>, _ offset: inout Int) -> Step? {
        switch state {
        case .preamble: return skipPreamble(bytes, &offset)
        case .content: return takeContent(bytes, &offset)
        case .head: return takeHead(bytes, &offset)
        case .delimiter, .delimiterDash, .delimiterPadding, .delimiterReturn:
            let byte = bytes[offset]
            offset += 1
            return passDelimiter(byte)
        case .finished:
            offset = bytes.count
            return nil
        case .failed(let failure):
            offset = bytes.count
            return .failed(failure)
        }
    }

    private mutating func fail(_ failure: Failure) -> Step {
        state = .failed(failure)
        return .failed(failure)
    }

    /// Goes on matching the delimiter; returns true when all of it is there.
    private mutating func match(_ byte: UInt8) -> Bool {
        if byte == delimiter[matched] {
            matched += 1
        } else {
            matched = byte == delimiter[0] ? 1 : 0
        }
        return matched == delimiter.count
    }

    private mutating func skipPreamble(_ bytes: Span<UInt8>, _ offset: inout Int) -> Step? {
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if match(byte) {
                state = .delimiter
                return nil
            }
        }
        return nil
    }

    private mutating func takeContent(_ bytes: Span<UInt8>, _ offset: inout Int) -> Step? {
        var content: [UInt8] = []
        while offset < bytes.count {
            let before = matched
            let byte = bytes[offset]
            // The end of the part is said when all before it has been.
            if before == delimiter.count - 1, byte == delimiter[before], !content.isEmpty { break }
            offset += 1
            if match(byte) {
                state = .delimiter
                return .partEnded
            }
            if matched <= before {
                // What looked like a delimiter was content.
                content.append(contentsOf: delimiter[borrowed..<before])
                borrowed = 0
                if matched == 0 { content.append(byte) }
            }
        }
        return content.isEmpty ? nil : .content(content)
    }

    private mutating func passDelimiter(_ byte: UInt8) -> Step? {
        switch (state, byte) {
        case (.delimiter, UInt8(ascii: "-")): state = .delimiterDash
        case (.delimiterDash, UInt8(ascii: "-")):
            state = .finished
            return .finished
        case (.delimiter, HTTPByte.space), (.delimiter, HTTPByte.tab),
            (.delimiterPadding, HTTPByte.space), (.delimiterPadding, HTTPByte.tab):
            state = .delimiterPadding
        case (.delimiter, HTTPByte.carriageReturn), (.delimiterPadding, HTTPByte.carriageReturn):
            state = .delimiterReturn
        case (.delimiterReturn, HTTPByte.lineFeed):
            parts += 1
            guard parts <= limits.parts else { return fail(.tooManyParts) }
            state = .head
            head = []
        default: return fail(.badDelimiter)
        }
        return nil
    }

    private mutating func takeHead(_ bytes: Span<UInt8>, _ offset: inout Int) -> Step? {
        let byte = bytes[offset]
        offset += 1
        guard head.count < limits.headBytes else { return fail(.headTooLong) }
        head.append(byte)
        guard byte == HTTPByte.lineFeed, head == [13, 10] || head.suffix(4) == [13, 10, 13, 10]
        else { return nil }
        guard let part = MultipartPart(head: head) else { return fail(.badHead) }
        state = .content
        // The empty line's end may be the delimiter's: a part without content.
        matched = 2
        borrowed = 2
        return .part(part)
    }
}

/// The head of a part.
package struct MultipartPart: Sendable, Hashable {
    /// The form's name for it.
    package let name: Text
    /// The client's name for the file; nil when the part is no file.
    ///
    /// Not to be trusted as a path.
    package let fileName: Text?
    package let contentType: Text?
}

extension MultipartPart {
    /// Reads the fields of a part, with the empty line behind them; nil when they don't name it.
    init?(head: [UInt8]) {
        var disposition: FieldParameters?
        var type: Text?
        for line in head.split(separator: HTTPByte.lineFeed) {
            guard line.last == HTTPByte.carriageReturn else { return nil }
            let line = line.dropLast()
            guard !line.isEmpty else { continue }
            guard let colon = line.firstIndex(of: HTTPByte.colon), colon > line.startIndex,
                !line.contains(where: { $0 < 0x20 && $0 != HTTPByte.tab || $0 == 0x7F })
            else { return nil }
            let value = Array(line[colon...].dropFirst())
            switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
            case "content-disposition":
                guard disposition == nil else { return nil }
                disposition = FieldParameters(value)
            case "content-type": type = Text(utf8: value.drop { HTTPByte.isSpaceOrTab($0) })
            default: break
            }
        }
        guard let disposition, disposition.first == Array("form-data".utf8),
            let name = disposition["name"].flatMap({ String(validating: $0, as: UTF8.self) })
        else { return nil }
        self.name = Text(name)
        self.fileName = disposition["filename"].map { Text(utf8: $0) }
        self.contentType = type
    }
}
