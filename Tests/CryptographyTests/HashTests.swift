import HatoWire
import Testing

@testable import Cryptography

private func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

@Suite("SHA256")
struct SHA256Tests {
    @Test(
        "hashes FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func examples(input: String, digest: String) {
        #expect(hex(SHA256.digest(of: input)) == digest)
    }

    @Test("a copy of a running state goes on by itself")
    func copies() {
        var first = SHA256State()
        let pieces = ["ab", "c", "d"].map { Array($0.utf8) }
        first.update(pieces[0])
        var second = first
        first.update(pieces[1])
        second.update(pieces[2])
        #expect(first.finish() == SHA256.digest(of: "abc"))
        #expect(second.finish() == SHA256.digest(of: "abd"))
    }
}

@Suite("HMACKey")
struct HMACKeyTests {
    @Test("makes the codes of RFC 4231")
    func examples() {
        let short = HMACKey(Array("Jefe".utf8))
        let question = Array("what do ya want for nothing?".utf8)
        #expect(
            hex(short.code(of: question))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        let long = HMACKey([UInt8](repeating: 0xAA, count: 131))
        let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            hex(long.code(of: message))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
    }

    @Test("accepts the right code only, whole")
    func verifies() {
        let key = HMACKey(Array("Jefe".utf8))
        let message = Array("hello".utf8)
        let code = key.code(of: message)
        #expect(key.isValid(code, for: message))
        #expect(!key.isValid(Array(code.dropLast()), for: message))
        #expect(!key.isValid([], for: message))
        for position in code.indices {
            var wrong = code
            wrong[position] ^= 1
            #expect(!key.isValid(wrong, for: message))
        }
    }
}

@Suite("ConstantTime")
struct ConstantTimeTests {
    @Test("tells equal from different, empty included")
    func compares() {
        #expect(ConstantTime.areEqual([], []))
        #expect(ConstantTime.areEqual([1, 2], [1, 2]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 3]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 2, 3]))
    }
}
