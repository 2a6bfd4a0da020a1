import Compression
import HatoTesting
import Testing

@Suite("MessageDeflater and GzipEncoder")
struct DeflaterTests {
    @Test("packs what the inflater reads, with every window", arguments: MessageDeflater.windowBits)
    func roundTrips(bits: Int) throws {
        let deflater = MessageDeflater()
        let inflater = try Inflater()
        for sample in Samples.all {
            guard let packed = deflater.pack(sample, windowBits: bits) else { continue }
            #expect(packed.count < sample.count)
            #expect(try inflater.message(packed, limit: sample.count) == sample)
        }
        #expect(deflater.pack(Samples.chat(40), windowBits: bits) != nil)
    }

    @Test("leaves alone what is short, what does not shrink, and windows that zlib can't make")
    func leaves() {
        let deflater = MessageDeflater()
        let least = [UInt8](repeating: 0x61, count: MessageDeflater.leastBytes)
        #expect(deflater.pack(least) != nil)
        #expect(deflater.pack(Array(least.dropLast())) == nil)
        for count in [128, 129, 1_000, 70_000] {
            #expect(deflater.pack(Samples.random(count)) == nil)
        }
        #expect(deflater.pack(least, windowBits: 8) == nil)
        #expect(deflater.pack(least, windowBits: 16) == nil)
    }

    @Test("packs the same message the same way each time")
    func isStateless() {
        let deflater = MessageDeflater()
        let first = deflater.pack(Samples.chat(40), windowBits: 12)
        _ = deflater.pack(Samples.random(5_000), windowBits: 12)
        _ = deflater.pack(Samples.chat(3), windowBits: 12)
        #expect(deflater.pack(Samples.chat(40), windowBits: 12) == first)
    }

    @Test(
        "packs what Python's zlib reads with no greater window",
        .enabled(if: ZlibOfPython.program != nil)
    )
    func stranger() throws {
        let deflater = MessageDeflater()
        let sample = Samples.chat(3_000)
        let packed = MessageDeflater.windowBits.compactMap {
            deflater.pack(sample, windowBits: $0)
        }
        try #require(packed.count == 7)
        let script = """
            for bits, line in enumerate(lines, 9):
                unpacker = zlib.decompressobj(-bits)
                show(unpacker.decompress(line + bytes.fromhex("0000ffff")))
                assert not unpacker.eof and not unpacker.unused_data
            """
        #expect(try ZlibOfPython.run(script, packed) == packed.map { _ in sample })
    }

    @Test("writes gzip that Python reads", .enabled(if: ZlibOfPython.program != nil))
    func gzip() throws {
        let encoder = try GzipEncoder()
        let samples = [Samples.chat(10), Samples.chat(40), Samples.chat(3_000)]
        let packed = samples.compactMap { encoder.encode($0) }
        try #require(packed.count == 3)
        #expect(
            try ZlibOfPython.run("for line in lines: show(gzip.decompress(line))", packed)
                == samples
        )
        #expect(encoder.encode(samples[1]) == packed[1])
    }

    @Test("leaves an answer alone that gzip would not shorten")
    func gzipOfNoise() throws {
        let encoder = try GzipEncoder()
        #expect(encoder.encode(Samples.random(2_000)) == nil)
        #expect(encoder.encode([UInt8]()) == nil)
        #expect(encoder.encode(Samples.chat(40)) != nil)
    }
}
