import Compression
import HatoTesting
import Testing

@Suite("Inflater")
struct InflaterTests {
    private func inflate(_ packed: [UInt8], limit: Int = 1_048_576) throws -> [UInt8] {
        try Inflater().message(packed, limit: limit)
    }

    @Test("reads the examples of RFC 7692 7.2.3")
    func examples() throws {
        let hello = Array("Hello".utf8)
        let fixed: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        #expect(try inflate(fixed) == hello)
        let stored: [UInt8] = [
            0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00,
        ]
        #expect(try inflate(stored) == hello)
        let last: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        #expect(try inflate(last) == hello)
        let twoBlocks: [UInt8] = [
            0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00,
        ]
        #expect(try inflate(twoBlocks) == hello)
        #expect(try inflate([0x00]).isEmpty)
    }

    @Test("takes a message that ends with a last block, and one without any byte")
    func lenient() throws {
        #expect(
            try inflate([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]) == Array("Hello".utf8)
        )
        #expect(try inflate([]).isEmpty)
    }

    @Test("remembers nothing of the message before")
    func noContext() throws {
        let inflater = try Inflater()
        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        #expect(try inflater.message(hello, limit: 5) == Array("Hello".utf8))
        // RFC 7692 7.2.3.2: the same again, told by a reference to the message before.
        let reference: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
        #expect(throws: CompressionFailure.damaged) {
            try inflater.message(reference, limit: 5)
        }
        #expect(try inflater.message(hello, limit: 5) == Array("Hello".utf8))
    }

    @Test(
        "lets a message of the limit through and refuses one byte more",
        arguments: [0, 1, 5, 128, 32_767, 32_768, 32_769, 65_536, 100_000]
    )
    func limit(bytes: Int) throws {
        let deflater = MessageDeflater()
        let fits = [UInt8](repeating: 0x61, count: bytes)
        let isPackable = bytes >= MessageDeflater.leastBytes
        let packed =
            isPackable ? try #require(deflater.pack(fits)) : stored(fits)
        #expect(try inflate(packed, limit: bytes) == fits)
        guard bytes > 0 else { return }
        #expect(throws: CompressionFailure.tooLarge) { try inflate(packed, limit: bytes - 1) }
        #expect(throws: CompressionFailure.tooLarge) { try inflate(packed, limit: 0) }
    }

    /// A stored block and the header of the empty one that follows.
    private func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt8(bytes.count)
        return [0x00, count, 0x00, ~count, 0xFF] + bytes + [0x00]
    }

    @Test("refuses a gigabyte in a megabyte after the first bytes past the limit")
    func bomb() throws {
        let deflater = MessageDeflater()
        let zeros = [UInt8](repeating: 0, count: 64_000_000)
        let packed = try #require(deflater.pack(zeros))
        #expect(packed.count < 400_000)
        #expect(throws: CompressionFailure.tooLarge) { try inflate(packed, limit: 1_000) }
    }

    @Test("calls every cut of a message damaged, never a shorter message")
    func truncated() throws {
        let whole = Samples.chat(40)
        let packed = try #require(MessageDeflater().pack(whole))
        let inflater = try Inflater()
        for count in 1..<packed.count {
            let cut = Array(packed[..<count])
            #expect(throws: CompressionFailure.damaged, "\(count) bytes") {
                try inflater.message(cut, limit: 1_048_576)
            }
        }
        #expect(try inflater.message(packed, limit: whole.count) == whole)
    }

    @Test("survives damaged streams within the limit", arguments: 0..<8)
    func fuzz(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let inflater = try Inflater()
        let whole = Samples.chat(60)
        let packed = try #require(MessageDeflater().pack(whole))
        for _ in 0..<500 {
            var damaged = packed
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: damaged.indices, using: &generator)
                damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
            }
            if Bool.random(using: &generator) { damaged += generator.bytes(8) }
            do throws(CompressionFailure) {
                let message = try inflater.message(damaged, limit: 10_000)
                #expect(message.count <= 10_000)
            } catch {
                #expect(error != .outOfMemory)
            }
            let noise = generator.bytes(Int.random(in: 1...200, using: &generator))
            if let message = try? inflater.message(noise, limit: 100) {
                #expect(message.count <= 100)
            }
        }
        #expect(try inflater.message(packed, limit: whole.count) == whole)
    }

    @Test("is not slowed by a message of nothing but last blocks")
    func manyEnds() throws {
        let ends = [UInt8](repeating: 0, count: 200_000).enumerated().map {
            UInt8($0.offset % 2 == 0 ? 0x03 : 0x00)
        }
        let clock = ContinuousClock()
        var message: [UInt8]?
        let span = try clock.measure { message = try inflate(ends) }
        #expect(message == [])
        #expect(span < .seconds(2))
    }

    @Test(
        "reads what Python's zlib writes, with every window, level and flush",
        .enabled(if: ZlibOfPython.program != nil)
    )
    func stranger() throws {
        let script = """
            for line in lines:
                for bits in range(9, 16):
                    for level in (0, 1, 6, 9):
                        packer = zlib.compressobj(level, zlib.DEFLATED, -bits)
                        half = len(line) // 2
                        data = packer.compress(line[:half]) + packer.flush(zlib.Z_FULL_FLUSH)
                        data += packer.compress(line[half:]) + packer.flush(zlib.Z_SYNC_FLUSH)
                        assert data.endswith(bytes.fromhex("0000ffff"))
                        show(data[:-4])
            """
        // What Python does not flush twice when nothing is new has no tail to take off.
        let samples = Samples.all.filter { $0.count > 1 }
        let packed = try ZlibOfPython.run(script, samples)
        try #require(packed.count == samples.count * 28)
        let inflater = try Inflater()
        for (index, data) in packed.enumerated() {
            let sample = samples[index / 28]
            #expect(try inflater.message(data, limit: sample.count) == sample)
        }
    }

    @Test(
        "keeps the window behind a last block",
        .enabled(if: ZlibOfPython.program != nil)
    )
    func windowBehindEnd() throws {
        let script = """
            first = zlib.compressobj(9, zlib.DEFLATED, -15)
            data = first.compress(lines[0]) + first.flush(zlib.Z_FINISH)
            second = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=lines[0])
            more = second.compress(lines[0]) + second.flush(zlib.Z_SYNC_FLUSH)
            assert len(more) < 30
            show(data + more[:-4])
            """
        let text = Samples.chat(5)
        let packed = try #require(try ZlibOfPython.run(script, [text]).first)
        #expect(try inflate(packed) == text + text)
    }
}
