/// SHA-1 (FIPS 180-4), for the WebSocket handshake only, where it protects nothing: it shows that
/// the server speaks the protocol (RFC 6455 10.8).
package enum SHA1 {
    /// Returns the 20 bytes of the digest.
    package static func digest(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        let padded = pad(message)
        var start = 0
        while start < padded.count {
            mix(padded, start, &state)
            start += 64
        }
        return state.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    private static func pad(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bitCount = UInt64(message.count) &* 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        return padded
    }

    private static func mix(_ bytes: [UInt8], _ start: Int, _ state: inout [UInt32]) {
        var words: [UInt32] = []
        words.reserveCapacity(80)
        for index in 0..<16 {
            let at = start + index * 4
            words.append(
                UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16
                    | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
            )
        }
        for index in 16..<80 {
            let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.append(rotate(mixed, 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let chosen: UInt32
            let constant: UInt32
            switch index {
            case 0..<20: (chosen, constant) = ((b & c) | (~b & d), 0x5A82_7999)
            case 20..<40: (chosen, constant) = (b ^ c ^ d, 0x6ED9_EBA1)
            case 40..<60: (chosen, constant) = ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
            default: (chosen, constant) = (b ^ c ^ d, 0xCA62_C1D6)
            }
            let next = rotate(a, 5) &+ chosen &+ e &+ constant &+ words[index]
            (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
