import Compression
import EventLoops
import HTTPServer
import HatoTesting
import HatoWire
import Testing

@Suite("Answers as gzip")
struct GzipTests {
    /// `/sync/N` and `/async/N` answer N bytes that may be packed, `/secret/N` N that may not,
    /// `/failed/N` with status 400.
    private static func router() -> Router {
        let body = { @Sendable (context: RequestContext, mayBeCompressed: Bool, status: Int) in
            var response = Response.json(text(Int(context.parameter(0)) ?? 0), status: status)
            response.mayBeCompressed = mayBeCompressed
            return response
        }
        var router = Router()
        router.on(.get, "/sync/{count}", .sync { body($0, true, 200) })
        router.on(.get, "/async/{count}", .async { body($0, true, 200) })
        router.on(.get, "/secret/{count}", .sync { body($0, false, 200) })
        router.on(.get, "/failed/{count}", .sync { body($0, true, 400) })
        return router
    }

    private static func text(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(0x61 + $0 % 23) }
    }

    private func withPackingServer(
        queueLimit: Int = 8,
        _ body: (Int, GzipPolicy) throws -> Void
    ) throws {
        let workers = try WorkerPool(name: "gzip", threads: 1, queueLimit: queueLimit)
        defer { workers.close(discardsWaiting: true) }
        let policy = GzipPolicy(workers: workers)
        var configuration = HTTPConfiguration()
        configuration.gzip = policy
        try withServer(router: Self.router(), configuration: configuration) { _, port in
            try body(port, policy)
        }
    }

    private static let accept = [("Accept-Encoding", "gzip, br")]

    private func isPacked(_ response: TestHTTPResponse, of count: Int) throws -> Bool {
        guard response["Content-Encoding"] == "gzip" else {
            #expect(response.body == Self.text(count))
            return false
        }
        let size = UInt32(count).littleEndian
        // RFC 1952 2.3: magic bytes and method first, the length last.
        #expect(Array(response.body.prefix(3)) == [0x1F, 0x8B, 8])
        let last = response.body.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        #expect(last == size)
        let encoder = try GzipEncoder()
        let own = encoder.encode(Self.text(count).span)
        #expect(response.body == own)
        return true
    }

    @Test("packs from the threshold on, on the loop and by a worker", arguments: ["sync", "async"])
    func packs(kind: String) throws {
        try withPackingServer { port, policy in
            let client = try TestHTTPClient(port: port)
            for count in [
                policy.leastBytes, policy.loopBytes, policy.loopBytes + 1, 1_000_000,
            ] {
                let response = try client.request("GET", "/\(kind)/\(count)", headers: Self.accept)
                #expect(try isPacked(response, of: count), "\(count)")
                #expect(response["Vary"] == "Accept-Encoding")
            }
            let small = policy.leastBytes - 1
            let response = try client.request("GET", "/\(kind)/\(small)", headers: Self.accept)
            #expect(try !isPacked(response, of: small))
            #expect(response["Vary"] == nil)
        }
    }

    @Test("says that an answer varies to those who get it as it is, too")
    func varies() throws {
        try withPackingServer { port, _ in
            let client = try TestHTTPClient(port: port)
            for headers in [[], [("Accept-Encoding", "gzip;q=0")], [("Accept-Encoding", "br")]] {
                for count in [5_000, 50_000] {
                    let response = try client.request("GET", "/sync/\(count)", headers: headers)
                    #expect(try !isPacked(response, of: count))
                    #expect(response["Vary"] == "Accept-Encoding")
                }
            }
        }
    }

    @Test("leaves alone what does not say that it may, and failures")
    func denied() throws {
        try withPackingServer { port, _ in
            let client = try TestHTTPClient(port: port)
            for kind in ["secret", "failed"] {
                let response = try client.request("GET", "/\(kind)/50000", headers: Self.accept)
                #expect(try !isPacked(response, of: 50_000))
                #expect(response["Vary"] == nil)
            }
        }
    }

    @Test("answers a HEAD with the head of the GET", arguments: [500, 5_000, 50_000])
    func head(count: Int) throws {
        try withPackingServer { port, _ in
            let client = try TestHTTPClient(port: port)
            for kind in ["sync", "async"] {
                let target = "/\(kind)/\(count)"
                let get = try client.request("GET", target, headers: Self.accept)
                let head = try client.request("HEAD", target, headers: Self.accept)
                #expect(head.body.isEmpty)
                for name in ["Content-Length", "Content-Encoding", "Vary", "Content-Type"] {
                    #expect(head[name] == get[name], "\(name)")
                }
                #expect(get["Content-Length"] == String(get.body.count))
            }
        }
    }

    @Test("keeps pipelined answers in order, packed or not")
    func pipelined() throws {
        try withPackingServer { port, _ in
            let client = try TestHTTPClient(port: port)
            let targets = ["/sync/50000", "/secret/10", "/async/2000", "/sync/900000", "/sync/3"]
            for target in targets { try client.send("GET", target, headers: Self.accept) }
            let packed = try targets.map { target in
                let count = Int(target.split(separator: "/").last ?? "") ?? 0
                return try isPacked(try client.response(), of: count)
            }
            #expect(packed == [true, false, true, true, false])
        }
    }

    @Test("sends a long answer as it is when the workers have no room")
    func noRoom() throws {
        try withPackingServer(queueLimit: 0) { port, _ in
            let client = try TestHTTPClient(port: port)
            let response = try client.request("GET", "/sync/50000", headers: Self.accept)
            #expect(try !isPacked(response, of: 50_000))
            let short = try client.request("GET", "/sync/5000", headers: Self.accept)
            #expect(try isPacked(short, of: 5_000))
        }
    }
}
