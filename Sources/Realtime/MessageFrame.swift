package import Compression
package import EventLoops
import HatoWire
import Synchronization

/// A message as the unfragmented frame that all its receivers share, and compressed for those who have
/// agreed on that: once for each window, by the loop that needs it first.
///
/// Receivers without compression touch no lock and cost no memory beyond their frame.
package final class MessageFrame: Sendable {
    /// The frame without compression.
    package let plain: Frame
    private let opcode: WebSocketOpcode
    /// Where the payload begins in `plain`.
    private let headerBytes: Int
    private let compressed = AtomicLazyReference<CompressedFrames>()

    /// Payloads that are packed.
    ///
    /// Longer ones would keep a loop for milliseconds, for each window anew.
    package static let packedBytes = MessageDeflater.leastBytes...65_536

    /// `payload` is UTF-8.
    package static func text(_ payload: [UInt8]) -> MessageFrame {
        MessageFrame(.text, payload)
    }

    package static func binary(_ payload: [UInt8]) -> MessageFrame {
        MessageFrame(.binary, payload)
    }

    /// Takes a frame as it is, whatever it holds; it is never compressed.
    package init(whole frame: Frame) {
        opcode = .binary
        headerBytes = frame.count
        plain = frame
    }

    private init(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        var header: [UInt8] = []
        header.reserveCapacity(10)
        WebSocketFrame.appendHeader(opcode, payloadCount: payload.count, to: &header)
        self.opcode = opcode
        headerBytes = header.count
        plain = Frame(header.span, payload.span)
    }

    /// Returns the frame for a receiver with that window, nil being one without compression.
    ///
    /// A loop that comes while another one compresses waits for it: no longer than doing it itself.
    package func frame(windowBits: Int?, by deflater: MessageDeflater) -> Frame {
        guard let windowBits,
            MessageFrame.packedBytes.contains(plain.count - headerBytes)
        else { return plain }
        let frames = compressed.load() ?? compressed.storeIfNil(CompressedFrames())
        return frames.frame(windowBits) { compress(windowBits, by: deflater) }
    }

    /// The plain frame where compression would not shorten it.
    private func compress(_ windowBits: Int, by deflater: MessageDeflater) -> Frame {
        let packed = plain.withBytes { bytes in
            deflater.pack(bytes.extracting(headerBytes..<bytes.count), windowBits: windowBits)
        }
        guard let packed else { return plain }
        var header: [UInt8] = []
        WebSocketFrame.appendHeader(
            opcode,
            payloadCount: packed.count,
            isCompressed: true,
            to: &header
        )
        return Frame(header.span, packed.span)
    }
}

/// The compressed forms of one message.
private final class CompressedFrames: Sendable {
    private let frames = Guarded<[(windowBits: Int, frame: Frame)]>([])

    func frame(_ windowBits: Int, _ make: () -> Frame) -> Frame {
        frames.withLock { frames in
            if let known = frames.first(where: { $0.windowBits == windowBits }) {
                return known.frame
            }
            let frame = make()
            frames.append((windowBits, frame))
            return frame
        }
    }
}
