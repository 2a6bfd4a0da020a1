/// Immutable bytes shared by reference: one message encoded once and queued on many connections.
///
/// `@unchecked Sendable`: `base` is written only while `init` runs, is never handed out mutable
/// afterwards, and is freed with the last reference.
package final class Frame: @unchecked Sendable {
    /// The number of bytes; may be zero.
    package let count: Int
    let base: UnsafeMutableRawPointer

    /// Makes a frame of `count` bytes, zeroed, then written by `fill`.
    package init(count: Int, fill: (inout MutableSpan<UInt8>) -> Void) {
        self.count = count
        base = .allocate(byteCount: max(count, 1), alignment: 8)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        let bytes = UnsafeMutableBufferPointer(
            start: base.assumingMemoryBound(to: UInt8.self),
            count: count
        )
        var span = bytes.mutableSpan
        fill(&span)
    }

    /// Copies `bytes`.
    package convenience init(_ bytes: [UInt8]) {
        self.init(copying: bytes.span)
    }

    /// Copies `bytes`.
    package init(copying bytes: Span<UInt8>) {
        count = bytes.count
        base = .allocate(byteCount: max(bytes.count, 1), alignment: 8)
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                base.copyMemory(from: start, byteCount: source.count)
            }
        }
    }

    /// Copies `head` and then `body`: a header and its payload as one frame.
    package init(_ head: Span<UInt8>, _ body: Span<UInt8>) {
        count = head.count + body.count
        base = .allocate(byteCount: max(count, 1), alignment: 8)
        head.withUnsafeBytes { source in
            if let start = source.baseAddress {
                base.copyMemory(from: start, byteCount: source.count)
            }
        }
        body.withUnsafeBytes { source in
            if let start = source.baseAddress {
                (base + head.count).copyMemory(from: start, byteCount: source.count)
            }
        }
    }

    deinit {
        base.deallocate()
    }

    /// Calls `body` with the bytes.
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = UnsafeBufferPointer(
            start: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)),
            count: count
        )
        return try body(bytes.span)
    }

    /// A copy of the bytes.
    package var bytes: [UInt8] {
        withBytes { span in
            span.withUnsafeBufferPointer { Array($0) }
        }
    }
}
