package import EventLoops
package import HatoWire

/// What a handler gets: the request, the parts of its path, and where it came from.
package struct RequestContext: Sendable {
    package let request: HTTPRequest
    /// Where the path segments that matched `{…}` lie in `request.head`, in order, still coded.
    package let parameters: [Range<Int>]
    /// The loop that serves the connection; an async handler prefers it as its executor.
    package let loop: EventLoop
    package let peer: PeerAddress
    /// Whether the connection is TLS: then the URLs that an answer names are `https` and `wss`.
    package let isSecure: Bool

    package init(
        request: HTTPRequest,
        parameters: [Range<Int>],
        loop: EventLoop,
        peer: PeerAddress,
        isSecure: Bool
    ) {
        self.request = request
        self.parameters = parameters
        self.loop = loop
        self.peer = peer
        self.isSecure = isSecure
    }

    /// Returns the segment at `index` as it was sent; empty when the pattern has fewer.
    package func rawParameter(_ index: Int) -> ArraySlice<UInt8> {
        guard parameters.indices.contains(index) else { return [] }
        return request.head[parameters[index]]
    }

    /// Returns the segment at `index` without percent-coding, as bytes.
    package func parameterBytes(_ index: Int) -> [UInt8] {
        PercentCoding.decode(rawParameter(index))
    }

    /// Returns the segment at `index` without percent-coding; bytes that are not UTF-8 are repaired.
    package func parameter(_ index: Int) -> String {
        String(decoding: parameterBytes(index), as: UTF8.self)
    }
}
