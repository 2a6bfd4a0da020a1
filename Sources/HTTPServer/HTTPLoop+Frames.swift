import HatoWire

extension HTTPLoop {
    /// A WebSocket parser on loan; an idle socket has none.
    final class FrameReader {
        var parser: WebSocketParser

        init(messageLimitBytes: Int) {
            parser = WebSocketParser(role: .server, messageLimitBytes: messageLimitBytes)
        }
    }

    private static let spareFrameReaderLimit = 64

    func takeFrameReader(messageLimitBytes: Int) -> FrameReader {
        if let spare = frameReaders.popLast(), spare.parser.messageLimitBytes == messageLimitBytes {
            return spare
        }
        return FrameReader(messageLimitBytes: messageLimitBytes)
    }

    /// Takes a parser back; one that stands inside a message is not used again.
    func giveBack(_ reader: FrameReader, isReusable: Bool) {
        guard isReusable, reader.parser.isIdle, frameReaders.count < Self.spareFrameReaderLimit
        else { return }
        frameReaders.append(reader)
    }
}
