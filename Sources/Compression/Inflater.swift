import CZlib

/// Unpacks messages of permessage-deflate (RFC 7692 7.2.2): raw deflate data (RFC 1951) whose last
/// four bytes are left out.
///
/// Nothing is remembered from one message to the next, so that a loop needs one for all its sockets. 40 KB,
/// and a buffer of 32 KB. For one thread at a time.
package final class Inflater {
    /// What a sender takes off the end of each message.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    /// Output is made in pieces of this size, so that no more than that is made in vain.
    private static let pieceBytes = 32_768

    private let stream: UnsafeMutablePointer<z_stream>
    private let piece: UnsafeMutablePointer<UInt8>

    package init() throws(CompressionFailure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        piece = .allocate(capacity: Inflater.pieceBytes)
        // The greatest window reads data of every smaller one.
        let size = CInt(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, -15, ZLIB_VERSION, size) == Z_OK else { throw .outOfMemory }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        piece.deallocate()
    }

    /// Returns the message that `packed` is.
    ///
    /// Never holds more than `limitBytes` of it, and one piece. Errors: `tooLarge`, `damaged`,
    /// `outOfMemory`. The next message is read whatever became of this one.
    package func message(
        _ packed: Span<UInt8>,
        limitBytes: Int
    ) throws(CompressionFailure) -> [UInt8] {
        // RFC 7692 7.2.3.6 gives an empty message one byte; without it, it is as empty.
        guard !packed.isEmpty else { return [] }
        guard packed.count <= Int(UInt32.max) else { throw .tooLarge }
        guard inflateReset(stream) == Z_OK else { throw .outOfMemory }
        var message: [UInt8] = []
        let isEnded = try packed.withUnsafeBufferPointer { bytes throws(CompressionFailure) in
            try take(bytes, Z_SYNC_FLUSH, limitBytes, &message)
        }
        // Behind a block that says it is the last nothing needs to follow (RFC 7692 7.2.3.4).
        if isEnded { return message }
        _ = try Inflater.tail.withUnsafeBufferPointer { bytes throws(CompressionFailure) in
            try take(bytes, Z_BLOCK, limitBytes, &message)
        }
        // 128: it stands between two blocks. Anywhere else something is missing.
        guard stream.pointee.data_type & 128 != 0 else { throw .damaged }
        return message
    }

    /// Takes all of `bytes`; returns whether they end with the end of a stream.
    private func take(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ flush: CInt,
        _ limitBytes: Int,
        _ message: inout [UInt8]
    ) throws(CompressionFailure) -> Bool {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = uInt(bytes.count)
        while true {
            let allowed = max(limitBytes, 0) - message.count
            // One byte more than is allowed tells a message that ends there from a longer one.
            let room = min(allowed, Inflater.pieceBytes - 1) + 1
            stream.pointee.next_out = piece
            stream.pointee.avail_out = uInt(room)
            let result = inflate(stream, flush)
            let made = room - Int(stream.pointee.avail_out)
            guard made <= allowed else { throw .tooLarge }
            message.append(contentsOf: UnsafeBufferPointer(start: piece, count: made))
            let isTaken = stream.pointee.avail_in == 0
            switch result {
            case Z_OK:
                if isTaken, stream.pointee.avail_out > 0 { return false }
            case Z_BUF_ERROR:
                // All was taken before, or the output ended with the last piece.
                guard isTaken else { throw .damaged }
                return false
            case Z_STREAM_END:
                // More blocks may follow and refer to what came before: the window is kept.
                guard inflateResetKeep(stream) == Z_OK else { throw .outOfMemory }
                if isTaken { return true }
            case Z_MEM_ERROR:
                throw .outOfMemory
            default:
                throw .damaged
            }
        }
    }
}
