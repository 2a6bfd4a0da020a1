import Compression
import HatoWire
import Telemetry

extension HTTPLoop {
    /// Packs a body on the loop itself; nil when it shall leave as it is.
    func gzip(_ body: [UInt8]) -> [UInt8]? {
        if gzipEncoder == nil {
            gzipEncoder = try? GzipEncoder()
        }
        return gzipEncoder?.encode(body.span)
    }
}

extension Response {
    /// Says that the body depends on Accept-Encoding, and returns whether it shall be packed.
    mutating func varies(by policy: GzipPolicy, for request: HTTPRequest) -> Bool {
        guard policy.applies(to: self) else { return false }
        headers.append(("Vary", "Accept-Encoding"))
        return AcceptEncoding.prefersGzip(request)
    }

    /// Puts the packed body in place of the plain one; nil leaves it.
    mutating func replaceBody(gzip packed: [UInt8]?) {
        guard let packed else { return }
        body = packed
        room?.shrink(to: packed.count)
        headers.append(("Content-Encoding", "gzip"))
    }
}
