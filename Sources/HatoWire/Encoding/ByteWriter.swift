/// Writes a piece of known size into room that was made for all of it.
///
/// What appends byte by byte asks an array for room each time; a list writes some ten pieces for each
/// object. Writing past the room traps.
package struct ByteWriter: ~Copyable {
    private var rest: UnsafeMutableRawBufferPointer

    /// Appends `count` bytes to `output`, all written by `write`.
    ///
    /// The array grows by doubling: to ask for what one piece needs, piece after piece, would copy it
    /// each time.
    package static func append(
        _ count: Int,
        to output: inout [UInt8],
        _ write: (inout ByteWriter) -> Void
    ) {
        let needed = output.count + count
        if needed > output.capacity { output.reserveCapacity(max(needed, 2 * output.capacity)) }
        output.append(addingCapacity: count) { span in
            span.withUnsafeMutableBufferPointer { bytes, written in
                var writer = ByteWriter(UnsafeMutableRawBufferPointer(bytes))
                write(&writer)
                precondition(writer.rest.isEmpty, "a piece shorter than its room")
                written = count
            }
        }
    }

    private init(_ room: UnsafeMutableRawBufferPointer) {
        rest = room
    }

    @inline(__always)
    package mutating func write(_ byte: UInt8) {
        take(1)[0] = byte
    }

    @inline(__always)
    package mutating func write(_ bytes: Span<UInt8>) {
        let room = take(bytes.count)
        bytes.withUnsafeBytes { room.copyMemory(from: $0) }
    }

    @inline(__always)
    package mutating func write(_ literal: StaticString) {
        let room = take(literal.utf8CodeUnitCount)
        literal.withUTF8Buffer { room.copyMemory(from: UnsafeRawBufferPointer($0)) }
    }

    /// The next `count` bytes of the room.
    @inline(__always)
    mutating func take(_ count: Int) -> UnsafeMutableRawBufferPointer {
        precondition(count <= rest.count, "no room")
        let taken = UnsafeMutableRawBufferPointer(start: rest.baseAddress, count: count)
        rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
        return taken
    }
}
