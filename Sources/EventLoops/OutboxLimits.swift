/// How much may wait to be written to one connection.
///
/// An empty outbox takes any single frame, so that a legal message larger than the limit can still
/// be delivered; past the limits `Connection.send` returns false.
package struct OutboxLimits: Sendable, Equatable {
    let byteLimit: UInt32
    let frameLimit: UInt32

    /// Makes limits; values above 4 GB or 2^32 frames mean that.
    package init(bytes: Int, frames: Int) {
        byteLimit = UInt32(clamping: bytes)
        frameLimit = UInt32(clamping: frames)
    }

    /// The bytes that may be queued.
    package var bytes: Int { Int(byteLimit) }
    /// The frames that may be queued; copied bytes count as one frame until written.
    package var frames: Int { Int(frameLimit) }

    /// For a sender that bounds itself, as an HTTP session that stops parsing while bytes wait.
    package static let unlimited = OutboxLimits(bytes: .max, frames: .max)
    /// 4 MB or 1,000 frames.
    package static let standard = OutboxLimits(bytes: 4_194_304, frames: 1_000)
}
