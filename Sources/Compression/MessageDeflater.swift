/// Packs messages for permessage-deflate (RFC 7692 7.2.1), each for itself.
///
/// Nothing is remembered from one message to the next, so that the same bytes go to every receiver with
/// that window, and a loop needs one for all its sockets. Up to 260 KB for each window that is
/// asked for. For one thread at a time.
package final class MessageDeflater {
    /// Windows that can be made, as powers of two.
    package static let windowBits = 9...15
    /// Shorter messages are left alone: a packet has room for them, and 4 µs would save some 40 bytes.
    package static let leastBytes = 128
    /// By measurement: level 6 takes 2.4 times as long for a sixth less.
    private static let level = 1

    private var streams = [DeflateStream?](repeating: nil, count: windowBits.count)

    package init() {}

    /// Returns the payload of a compressed frame; nil when the message as it is would not be longer,
    /// is too short to try, or there is no memory.
    package func pack(_ message: Span<UInt8>, windowBits: Int) -> [UInt8]? {
        guard message.count >= MessageDeflater.leastBytes,
            let stream = stream(windowBits)
        else { return nil }
        // Shorter by at least one byte once the tail is off.
        let limit = message.count - 1 + MessageDeflater.tailBytes
        guard var packed = stream.pack(message, .flush, limitBytes: limit),
            packed.count >= MessageDeflater.tailBytes
        else { return nil }
        packed.removeLast(MessageDeflater.tailBytes)
        return packed
    }

    /// 00 00 FF FF, which the receiver adds again.
    private static let tailBytes = 4

    private func stream(_ windowBits: Int) -> DeflateStream? {
        let index = windowBits - MessageDeflater.windowBits.lowerBound
        guard streams.indices.contains(index) else { return nil }
        if let stream = streams[index] { return stream }
        let stream = try? DeflateStream(.raw(windowBits: windowBits), level: MessageDeflater.level)
        streams[index] = stream
        return stream
    }
}
