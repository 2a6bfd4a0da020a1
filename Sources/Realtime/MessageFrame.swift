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
    /// Kept by this object.
    ///
    /// Not an `AtomicLazyReference`: the thread sanitizer does not see the order that it makes, and takes
    /// what is read behind it for a race (Swift 6.3.1).
    private let compressed = Atomic<Unmanaged<CompressedFrames>?>(nil)

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

    deinit {
        compressed.load(ordering: .acquiring)?.release()
    }

    /// Returns the frame for a receiver with that window, nil being one without compression.
    ///
    /// A loop that comes while another one compresses waits for it: no longer than doing it itself.
    package func frame(windowBits: Int?, by deflater: MessageDeflater) -> Frame {
        guard let windowBits,
            MessageFrame.packedBytes.contains(plain.count - headerBytes)
        else { return plain }
        return compressedFrames().frame(windowBits) { compress(windowBits, by: deflater) }
    }

    /// Of two threads that make it at the same time one finds the other's.
    private func compressedFrames() -> CompressedFrames {
        if let known = compressed.load(ordering: .acquiring) { return known.takeUnretainedValue() }
        let made = Unmanaged.passRetained(CompressedFrames())
        let found = compressed.compareExchange(
            expected: nil,
            desired: made,
            ordering: .acquiringAndReleasing
        ).original
        guard let found else { return made.takeUnretainedValue() }
        made.release()
        return found.takeUnretainedValue()
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
