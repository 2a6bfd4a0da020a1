import Compression
import EventLoops
import HatoTesting
import Realtime
import Synchronization
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

    @Test("is made once also when two loops want it at the same time")
    func race() throws {
        let group = try EventLoopGroup(count: 2, limits: LoopLimits())
        try group.start()
        defer { group.stop() }
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<50 {
            // Takes long enough to pack that the other one comes meanwhile.
            let bytes = generator.bytes(MessageFrame.packedBytes.upperBound)
            let message = MessageFrame.binary(bytes.map { $0 & 0x0F })
            let frames = try Mailbox<Frame>()
            let start = Meeting(2)
            for loop in group.loops {
                loop.execute {
                    let deflater = MessageDeflater()
                    start.meet()
                    frames.put(message.frame(windowBits: 15, by: deflater))
                }
            }
            let frame = try frames.next()
            #expect(try frames.next() === frame)
            #expect(frame !== message.plain)
        }
    }
}

/// Where threads wait for each other, so that they go on at the same time.
private final class Meeting: Sendable {
    private let missing: Atomic<Int>

    init(_ count: Int) {
        missing = Atomic(count)
    }

    func meet() {
        missing.subtract(1, ordering: .acquiringAndReleasing)
        // Who gives way meanwhile comes back when the other has long gone on.
        while missing.load(ordering: .acquiring) > 0 {}
    }
}
