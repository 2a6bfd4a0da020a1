/// The masking of RFC 6455 5.3: byte i of a payload is combined with byte i mod 4 of the key.
enum WebSocketMask {
    /// Masks or unmasks `bytes[start...]` in place, eight at a time.
    ///
    /// - Parameters:
    ///   - key: The key's bytes, the one for the first byte lowest.
    ///   - bytes: The buffer.
    ///   - start: Where the part to change begins.
    /// - Returns: The key turned so that it fits the byte that follows.
    static func apply(_ key: UInt32, to bytes: inout [UInt8], from start: Int) -> UInt32 {
        let count = bytes.count - start
        let wide = UInt64(key) | UInt64(key) << 32
        bytes.withUnsafeMutableBytes { buffer in
            var position = start
            while position &+ 8 <= buffer.count {
                let word = buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                buffer.storeBytes(
                    of: word ^ wide.littleEndian,
                    toByteOffset: position,
                    as: UInt64.self
                )
                position &+= 8
            }
            var rest = wide
            while position < buffer.count {
                buffer[position] ^= UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                position &+= 1
            }
        }
        let turn = UInt32(truncatingIfNeeded: count & 3) * 8
        return turn == 0 ? key : key >> turn | key << (32 - turn)
    }
}
