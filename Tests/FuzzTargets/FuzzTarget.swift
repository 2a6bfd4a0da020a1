/// A decoder that a fuzzer feeds with bytes, and what must hold whatever they are.
///
/// A new one is a file here, its line in `all`, a row in `Scripts/coverage`, and a folder of inputs below
/// `Tests/Corpora` that has its name.
package struct FuzzTarget: Sendable {
    package let name: String
    /// Throws `Violation` when an invariant is broken; traps are found by themselves.
    package let check: @Sendable (_ input: [UInt8]) throws -> Void

    package static let all: [FuzzTarget] = [
        FuzzTarget(name: "request-head", check: RequestTarget.checkHead),
        FuzzTarget(name: "chunked-body", check: RequestTarget.checkChunkedBody),
        FuzzTarget(name: "websocket-frames", check: FrameTarget.check),
        FuzzTarget(name: "websocket-handshake", check: HandshakeTarget.check),
        FuzzTarget(name: "deflate", check: DeflateTarget.check),
        FuzzTarget(name: "token", check: TokenTarget.check),
        FuzzTarget(name: "multipart", check: MultipartTarget.check),
        FuzzTarget(name: "json", check: JSONTarget.check),
        FuzzTarget(name: "query", check: QueryTarget.check),
        FuzzTarget(name: "where", check: WhereTarget.check),
        FuzzTarget(name: "reserved-event", check: ReservedEventTarget.check),
        FuzzTarget(name: "accept-encoding", check: AcceptEncodingTarget.check),
        FuzzTarget(name: "publish", check: PublishTarget.check),
        FuzzTarget(name: "needle", check: NeedleTarget.check),
    ]

    package static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}

/// An invariant that an input breaks.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Throws unless the invariant holds.
package func hold(
    _ condition: Bool,
    _ invariant: @autoclosure () -> String
) throws(Violation) {
    guard condition else { throw Violation(invariant()) }
}

/// The sizes in which every stream is cut: as a whole, by the byte, and odd pieces.
let pieceSizes = [Int.max, 1, 7]

extension [UInt8] {
    /// The bytes in pieces of `size`; none when there are no bytes.
    func pieces(of size: Int) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = self[...]
        while !rest.isEmpty {
            pieces.append([UInt8](rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}
