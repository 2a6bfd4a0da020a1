import Compression
import HatoWire

extension HTTPLoop {
    /// A WebSocket parser on loan; an idle socket has none.
    final class FrameReader {
        var parser: WebSocketParser

        init(messageLimitBytes: Int, allowsCompression: Bool) {
            parser = WebSocketParser(
                role: .server,
                messageLimitBytes: messageLimitBytes,
                allowsCompression: allowsCompression
            )
        }
    }

    private static let spareFrameReaderLimit = 64

    func takeFrameReader(messageLimitBytes: Int, allowsCompression: Bool) -> FrameReader {
        if let spare = frameReaders.popLast(),
            spare.parser.messageLimitBytes == messageLimitBytes,
            spare.parser.allowsCompression == allowsCompression
        {
            return spare
        }
        return FrameReader(
            messageLimitBytes: messageLimitBytes,
            allowsCompression: allowsCompression
        )
    }

    /// Unpacks a message that came compressed and checks a text.
    func message(
        _ packed: [UInt8],
        isText: Bool,
        limitBytes: Int
    ) throws(WebSocketFailure) -> [UInt8] {
        let message: [UInt8]
        do throws(CompressionFailure) {
            message = try takeInflater().message(packed.span, limitBytes: limitBytes)
        } catch {
            switch error {
            case .damaged: throw .damagedCompression
            case .tooLarge: throw .messageTooLarge
            case .outOfMemory: throw .internalError
            }
        }
        guard !isText || UTF8Validator.isValid(message.span) else { throw .invalidText }
        return message
    }

    /// The loop's inflater, made when the first compressed message comes.
    private func takeInflater() throws(CompressionFailure) -> Inflater {
        if let inflater { return inflater }
        let made = try Inflater()
        inflater = made
        return made
    }

    /// Takes a parser back; one that stands inside a message is not used again.
    func giveBack(_ reader: FrameReader, isReusable: Bool) {
        guard isReusable, reader.parser.isIdle, frameReaders.count < Self.spareFrameReaderLimit
        else { return }
        frameReaders.append(reader)
    }
}
