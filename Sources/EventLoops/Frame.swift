/// Immutable bytes shared by reference: one message encoded once and queued on many connections.
///
/// `@unchecked Sendable`: what `memory` points to is written only while `init` runs, is never handed out
/// mutable afterwards, and is freed with the last reference; all else is constant.
package final class Frame: @unchecked Sendable {
    /// The number of bytes; may be zero.
    package let count: Int
    /// The frame's own memory; nil where the bytes are those of `array`.
    let memory: UnsafeMutableRawPointer?
    private let array: [UInt8]

    /// Makes a frame of `count` bytes, zeroed, then written by `fill`.
    package init(count: Int, fill: (inout MutableSpan<UInt8>) -> Void) {
        self.count = count
        array = []
        let base = Frame.allocate(count)
        memory = base
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

    /// Takes `bytes` as they are, without a copy.
    package init(adopting bytes: [UInt8]) {
        count = bytes.count
        memory = nil
        array = bytes
    }

    /// Copies `bytes`.
    package init(copying bytes: Span<UInt8>) {
        count = bytes.count
        array = []
        let base = Frame.allocate(count)
        memory = base
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                base.copyMemory(from: start, byteCount: source.count)
            }
        }
    }

    /// Copies `head` and then `body`: a header and its payload as one frame.
    package init(_ head: Span<UInt8>, _ body: Span<UInt8>) {
        count = head.count + body.count
        array = []
        let base = Frame.allocate(count)
        memory = base
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
        memory?.deallocate()
    }

    private static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        .allocate(byteCount: max(count, 1), alignment: 8)
    }

    /// Calls `body` with the bytes.
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let memory else {
            let array = array
            return try body(array.span)
        }
        let bytes = UnsafeBufferPointer(
            start: UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)),
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
