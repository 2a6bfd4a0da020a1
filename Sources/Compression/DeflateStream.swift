import CZlib

/// zlib's deflate, used again for one input after the other; for one thread at a time.
final class DeflateStream {
    enum Format {
        /// RFC 1951 alone, with a window of 2^9 to 2^15 bytes: zlib has no raw window of 2^8.
        case raw(windowBits: Int)
        /// RFC 1952.
        case gzip
    }

    /// How the output ends.
    enum Ending {
        /// At a byte, with an empty stored block.
        case flush
        /// With the format's own end.
        case finish

        var code: CInt { self == .flush ? Z_SYNC_FLUSH : Z_FINISH }
    }

    private static let pieceBytes = 16_384

    private let stream: UnsafeMutablePointer<z_stream>
    private let piece: UnsafeMutablePointer<UInt8>

    init(_ format: Format, level: Int) throws(CompressionFailure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        piece = .allocate(capacity: DeflateStream.pieceBytes)
        let windowBits: Int
        switch format {
        case .raw(let bits):
            precondition(MessageDeflater.windowBits.contains(bits), "a window that zlib can make")
            windowBits = -bits
        case .gzip: windowBits = 15 + 16
        }
        let result = deflateInit2_(
            stream,
            CInt(level),
            Z_DEFLATED,
            CInt(windowBits),
            DeflateStream.memoryLevel,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size)
        )
        guard result == Z_OK else { throw .outOfMemory }
    }

    /// zlib's default.
    private static let memoryLevel: CInt = 8

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        piece.deallocate()
    }

    /// Returns `input` packed, or nil when that takes more than `limitBytes`: then it stops there.
    func pack(_ input: Span<UInt8>, _ ending: Ending, limitBytes: Int) -> [UInt8]? {
        guard input.count <= Int(UInt32.max), deflateReset(stream) == Z_OK else { return nil }
        return input.withUnsafeBufferPointer { bytes in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
            stream.pointee.avail_in = uInt(bytes.count)
            var output: [UInt8] = []
            repeat {
                stream.pointee.next_out = piece
                stream.pointee.avail_out = uInt(DeflateStream.pieceBytes)
                guard deflate(stream, ending.code) != Z_STREAM_ERROR else { return nil }
                let made = DeflateStream.pieceBytes - Int(stream.pointee.avail_out)
                guard output.count + made <= limitBytes else { return nil }
                output.append(contentsOf: UnsafeBufferPointer(start: piece, count: made))
                // Room that is left says that nothing waits inside.
            } while stream.pointee.avail_out == 0
            return output
        }
    }
}
