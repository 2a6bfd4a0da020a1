import Compression
import EventLoops
import HatoTesting
import Realtime
import Testing

@Suite("MessageFrame")
struct MessageFrameTests {
    private static let long = [UInt8](repeating: 0x61, count: 1_000)

    @Test("is made once for each window, whoever asks, and is plain for who has none")
    func once() {
        let message = MessageFrame.text(Self.long)
        let (first, second) = (MessageDeflater(), MessageDeflater())
        let frame = message.frame(windowBits: 15, by: first)
        #expect(message.frame(windowBits: 15, by: second) === frame)
        #expect(frame.bytes[0] == 0xC1)
        #expect(frame.count < 100)
        let narrow = message.frame(windowBits: 9, by: second)
        #expect(narrow !== frame)
        #expect(message.frame(windowBits: 9, by: first) === narrow)
        #expect(message.frame(windowBits: nil, by: first) === message.plain)
        #expect(message.plain.bytes == [0x81, 126, 0x03, 0xE8] + Self.long)
    }

    @Test("carries the payload of the message")
    func payload() throws {
        let frame = MessageFrame.binary(Self.long).frame(windowBits: 15, by: MessageDeflater())
        let bytes = frame.bytes
        #expect(bytes[0] == 0xC2)
        #expect(Int(bytes[1]) == bytes.count - 2)
        let packed = Array(bytes[2...])
        let message = try Inflater().message(packed.span, limitBytes: 1_000)
        #expect(message == Self.long)
    }

    @Test("stays plain when it is short, too long to be packed on a loop, or would not shrink")
    func plain() {
        let deflater = MessageDeflater()
        let least = MessageDeflater.leastBytes
        let short = MessageFrame.text([UInt8](repeating: 0x61, count: least - 1))
        #expect(short.frame(windowBits: 15, by: deflater) === short.plain)
        let enough = MessageFrame.text([UInt8](repeating: 0x61, count: least))
        #expect(enough.frame(windowBits: 15, by: deflater) !== enough.plain)
        let most = MessageFrame.text(
            [UInt8](repeating: 0x61, count: MessageFrame.packedBytes.upperBound)
        )
        #expect(most.frame(windowBits: 15, by: deflater) !== most.plain)
        let more = [UInt8](repeating: 0x61, count: MessageFrame.packedBytes.upperBound + 1)
        let long = MessageFrame.text(more)
        #expect(long.frame(windowBits: 15, by: deflater) === long.plain)
        var generator = SeededGenerator(seed: 5)
        let noise = MessageFrame.binary(generator.bytes(5_000))
        #expect(noise.frame(windowBits: 15, by: deflater) === noise.plain)
    }
}
