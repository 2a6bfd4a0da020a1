import Cryptography
import HatoWire
import Testing

/// Counts upwards through all byte values.
private struct CountingRandom: RandomSource {
    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index) }
    }
}

@Suite("RandomSource")
struct RandomSourceTests {
    @Test("draws tokens of the asked length from letters and digits")
    func tokens() {
        for count in [0, 1, 25, 300] {
            let token = SecureRandom().token(count)
            #expect(token.utf8.count == count)
            #expect(token.string.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        }
        #expect(SecureRandom().token(25) != SecureRandom().token(25))
    }

    @Test("each character of a token is equally likely: bytes past 247 are drawn again")
    func noBias() {
        // 248 usable values are 62 × 4; the eight that are left over restart the counting.
        let token = CountingRandom().token(256)
        var counts: [Character: Int] = [:]
        for character in token.string.prefix(248) { counts[character, default: 0] += 1 }
        #expect(counts.count == 62)
        #expect(counts.values.allSatisfy { $0 == 4 })
        #expect(token.string.suffix(8) == "01234567")
    }

    @Test("makes keys of 64 hex digits")
    func keys() {
        let key = SecureRandom().hexKey()
        #expect(key.utf8.count == 64)
        #expect(key.string.allSatisfy { "0123456789abcdef".contains($0) })
        #expect(CountingRandom().hexKey().string.hasPrefix("000102030405060708090a0b"))
    }

    @Test("makes UUIDs of version 4")
    func uuids() {
        #expect(CountingRandom().uuid() == "00010203-0405-4607-8809-0a0b0c0d0e0f")
        #expect(SecureRandom().uuid() != SecureRandom().uuid())
    }
}
