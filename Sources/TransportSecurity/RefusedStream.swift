import EventLoops

/// Stands where there was no memory for TLS: takes nothing and says nothing.
final class RefusedStream: ByteTransform {
    var isSecure: Bool { false }

    func wireCount(of count: Int) -> Int { count }

    func decode(
        _ bytes: Span<UInt8>,
        plain: inout [UInt8],
        wire: inout [UInt8]
    ) -> ByteTransformState {
        .broken
    }

    func encode(_ bytes: Span<UInt8>, wire: inout [UInt8]) -> Bool { false }

    func finish(wire: inout [UInt8]) {}
}
