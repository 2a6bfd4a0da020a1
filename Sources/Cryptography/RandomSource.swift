import COpenSSL
package import HatoWire

/// Where unguessable bytes come from; tests may pass a predictable one.
package protocol RandomSource: Sendable {
    /// Fills the whole buffer.
    func fill(_ buffer: UnsafeMutableRawBufferPointer)
}

/// The system's random generator, by OpenSSL.
package struct SecureRandom: RandomSource {
    package init() {}

    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress, !buffer.isEmpty else { return }
        let bytes = start.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        while offset < buffer.count {
            let count = min(buffer.count - offset, 1 << 20)
            // Without randomness nothing may go on: every token would be guessable.
            precondition(RAND_bytes(bytes + offset, CInt(count)) == 1, "no randomness")
            offset += count
        }
    }
}

extension RandomSource {
    /// Returns `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { fill($0) }
        return bytes
    }

    /// Returns `count` characters of `[0-9A-Za-z]`, each equally likely (5.95 bits each).
    package func token(_ count: Int) -> Text {
        // A byte of 248 or more would favour the first letters: it is drawn again.
        let usable = UInt8(256 / Base62.digitCount * Base62.digitCount)
        var token: [UInt8] = []
        token.reserveCapacity(count)
        while token.count < count {
            for byte in bytes(count - token.count) where byte < usable {
                token.append(Base62.digit(Int(byte)))
            }
        }
        return Text(utf8: token)
    }

    /// Returns a random UUID (RFC 9562 5.4) in lower case.
    package func uuid() -> Text {
        var bytes = bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            RandomText.appendHex(byte, to: &text)
        }
        return Text(utf8: text)
    }

    /// Returns 64 lower-case hex digits: 32 random bytes, as NCMB's keys look.
    package func hexKey() -> Text {
        var key: [UInt8] = []
        for byte in bytes(32) { RandomText.appendHex(byte, to: &key) }
        return Text(utf8: key)
    }
}

private enum RandomText {
    private static let hexDigits = Array("0123456789abcdef".utf8)

    static func appendHex(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(hexDigits[Int(byte >> 4)])
        text.append(hexDigits[Int(byte & 0x0F)])
    }
}
