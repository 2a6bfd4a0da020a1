import HatoTesting
import HatoWire
import Testing

@Suite("Base64URL")
struct Base64URLTests {
    @Test("encodes without padding, in the alphabet of names, and decodes it again")
    func roundTrip() {
        #expect(Base64URL.encode([0xFB, 0xFF]) == Array("-_8".utf8))
        var generator = SeededGenerator(seed: 2)
        for count in 0..<70 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "refuses the other alphabet, padding, bits left over and a lone character",
        arguments: ["+_8", "-/8", "-_8=", "-_9", "A", "AAAAA", "AA A", "AA\n", "é"]
    )
    func refusals(text: String) {
        #expect(Base64URL.decode(Array(text.utf8)) == nil)
    }
}
