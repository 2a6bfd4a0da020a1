import EventLoops
import Glibc
import HTTPServer
import HatoTesting
import HatoWire
import Synchronization
import Telemetry
import Testing

/// What is reserved for an answer, from the handler to the socket.
@Suite("Room for answers")
struct AnswerRoomTests {
    /// The group's budget, once it is there.
    private final class Source: Sendable {
        let budget = Mutex<ByteBudget?>(nil)
        let isReserved: Mailbox<Bool>
        let gate: Mailbox<Bool>

        init() throws {
            isReserved = try Mailbox()
            gate = try Mailbox()
        }

        func response(_ count: Int) -> Response {
            var response = Response.json([UInt8](repeating: 0x61, count: count))
            response.mayBeCompressed = true
            if let budget = budget.withLock({ $0 }) {
                let room = ByteReservation(of: budget)
                if room.grow(to: count) { response.room = room }
            }
            return response
        }

        /// `/N` answers N bytes, `/later/N` when the gate is opened.
        func router(_ pool: WorkerPool) -> Router {
            var router = Router()
            router.on(
                .get,
                "/{count}",
                .async { [self] in
                    response(Int($0.parameter(0)) ?? 0)
                }
            )
            router.on(
                .get,
                "/later/{count}",
                .async { [self] in
                    let response = response(Int($0.parameter(0)) ?? 0)
                    isReserved.put(true)
                    _ = try? await pool.run { [gate] _ in try? gate.next("the gate") }
                    return response
                }
            )
            return router
        }
    }

    private func withSource(_ body: (Source, ByteBudget, Int) throws -> Void) throws {
        let source = try Source()
        let pool = try WorkerPool(name: "gate", threads: 1, queueLimit: 10)
        defer { pool.close(discardsWaiting: true) }
        let workers = try WorkerPool(name: "gzip", threads: 1, queueLimit: 8)
        defer { workers.close(discardsWaiting: true) }
        var configuration = HTTPConfiguration()
        configuration.gzip = GzipPolicy(workers: workers)
        let group = try EventLoopGroup(count: 1, limits: LoopLimits())
        let budget = group.counts.answers
        source.budget.withLock { $0 = budget }
        let server = HTTPServer(
            group: group,
            router: source.router(pool),
            configuration: configuration
        )
        let port = try server.listen(ListenAddress(host: "127.0.0.1", port: 0))
        try group.start()
        defer {
            server.stop(within: .milliseconds(500))
            group.stop()
        }
        try body(source, budget, Int(port))
        #expect(isEmpty(budget))
    }

    /// Whether all but that is given back in the end: the last reference may go after the client has its
    /// answer.
    private func isEmpty(_ budget: ByteBudget, but held: Int = 0) -> Bool {
        let deadline = Deadline()
        while budget.bytes != held, !deadline.hasPassed { sched_yield() }
        return budget.bytes == held
    }

    @Test(
        "is given back when the answer was sent, of whatever size",
        arguments: [9, 99_999, 9_999_999]
    )
    func sent(count: Int) throws {
        try withSource { _, budget, port in
            let client = try TestHTTPClient(port: port)
            #expect(try client.request("GET", "/\(count)").body.count == count)
            #expect(isEmpty(budget))
        }
    }

    @Test("is given back when only the head is sent")
    func head() throws {
        try withSource { _, budget, port in
            let client = try TestHTTPClient(port: port)
            #expect(try client.request("HEAD", "/9999999").status == 200)
            #expect(isEmpty(budget))
        }
    }

    @Test("is given back for what is packed, as much as that is shorter")
    func packed() throws {
        try withSource { _, budget, port in
            let client = try TestHTTPClient(port: port)
            let accept = [("Accept-Encoding", "gzip")]
            let answer = try client.request("GET", "/9999999", headers: accept)
            #expect(answer["Content-Encoding"] == "gzip")
            #expect(isEmpty(budget))
            // Past the mark none waits to be packed.
            let held = budget.mark - 9_999_999
            budget.note(held)
            let atMark = try client.request("GET", "/9999999", headers: accept)
            #expect(atMark["Content-Encoding"] == "gzip")
            #expect(isEmpty(budget, but: held))
            budget.note(1)
            let pastMark = try client.request("GET", "/9999999", headers: accept)
            #expect(pastMark["Content-Encoding"] == nil && pastMark.body.count == 9_999_999)
            budget.note(-held - 1)
        }
    }

    @Test(
        "stays the whole answer's while its client reads nothing, and is given back when that leaves"
    )
    func unread() throws {
        try withSource { _, budget, port in
            let client = try TestHTTPClient(port: port, receiveBufferBytes: 2_048)
            try client.send("GET", "/29999999")
            let deadline = Deadline()
            while budget.bytes < 29_999_999, !deadline.hasPassed { sched_yield() }
            #expect((29_999_999..<30_010_000).contains(budget.bytes))
            client.socket.reset()
            #expect(isEmpty(budget))
        }
    }

    @Test("is given back when the client leaves before the answer is there")
    func left() throws {
        try withSource { source, budget, port in
            let client = try TestHTTPClient(port: port)
            try client.send("GET", "/later/9999999")
            _ = try source.isReserved.next("the handler")
            #expect(budget.bytes == 9_999_999)
            client.socket.reset()
            // Once the loop knows: it answers others after that.
            #expect(try TestHTTPClient(port: port).request("GET", "/1").status == 200)
            source.gate.put(true)
            #expect(isEmpty(budget))
        }
    }
}
