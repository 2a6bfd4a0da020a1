import EventLoops
import HTTPServer
import HatoTesting
import HatoWire
import Testing

/// What becomes of a request whose client goes away (rulings 26).
@Suite("Clients that leave")
struct DepartureTests {
    /// `GET /wait` answers when the gate is opened; the mailboxes tell what its handler goes through.
    private final class Stage: Sendable {
        let began: Mailbox<Bool>
        let left: Mailbox<Bool>
        /// Whether its task was cancelled by then.
        let ended: Mailbox<Bool>
        let gate: Mailbox<Bool>
        private let pool: WorkerPool

        init() throws {
            began = try Mailbox()
            left = try Mailbox()
            ended = try Mailbox()
            gate = try Mailbox()
            pool = try WorkerPool(name: "gate", threads: 1, queueLimit: 10)
        }

        deinit {
            pool.close()
        }

        func wait() async -> Response {
            began.put(true)
            await withTaskCancellationHandler {
                _ = try? await pool.run { [gate] _ in try? gate.next("the gate") }
            } onCancel: {
                left.put(true)
            }
            ended.put(Task.isCancelled)
            return .text("in time")
        }

        var router: Router {
            var router = Router.simple()
            router.on(.get, "/wait", .async { [self] _ in await wait() })
            return router
        }
    }

    /// Returns once the one loop has read what was sent before.
    private func passTurn(_ port: Int) throws {
        #expect(try TestHTTPClient(port: port).request("GET", "/").status == 200)
    }

    private func begin(_ stage: Stage, _ port: Int) throws -> TestSocket {
        let socket = try TestSocket(port: port)
        try socket.send(Array("GET /wait HTTP/1.1\r\nHost: here\r\n\r\n".utf8))
        _ = try stage.began.next("the handler")
        return socket
    }

    private func expectCancellation(_ stage: Stage, _ port: Int) throws {
        _ = try stage.left.next("the cancellation")
        stage.gate.put(true)
        #expect(try stage.ended.next("the handler's end"))
        try passTurn(port)
    }

    @Test("a reset cancels the task that works on an answer")
    func reset() throws {
        let stage = try Stage()
        try withServer(router: stage.router) { _, port in
            let socket = try begin(stage, port)
            socket.reset()
            try expectCancellation(stage, port)
        }
    }

    @Test("a reset is seen while the connection is not read, with requests that wait behind")
    func resetWhilePaused() throws {
        let stage = try Stage()
        try withServer(router: stage.router) { _, port in
            let socket = try begin(stage, port)
            for _ in 0..<2 {
                try socket.send(Array("GET /wait HTTP/1.1\r\nHost: here\r\n\r\n".utf8))
                try passTurn(port)
            }
            socket.reset()
            try expectCancellation(stage, port)
            // Those behind were never begun.
            #expect(try stage.began.all().isEmpty)
        }
    }

    @Test("a reset after the FIN cancels too")
    func resetAfterFIN() throws {
        let stage = try Stage()
        try withServer(router: stage.router) { _, port in
            let socket = try begin(stage, port)
            socket.finishSending()
            try passTurn(port)
            socket.reset()
            try expectCancellation(stage, port)
        }
    }

    @Test("a FIN alone cancels nothing: the answer comes")
    func halfClosed() throws {
        let stage = try Stage()
        try withServer(router: stage.router) { _, port in
            let client = try TestHTTPClient(port: port)
            try client.send("GET", "/wait")
            _ = try stage.began.next("the handler")
            client.finishSending()
            try passTurn(port)
            stage.gate.put(true)
            #expect(try client.response().text == "in time")
            #expect(try stage.ended.next("the handler's end") == false)
            #expect(try client.isClosedByPeer())
        }
    }

    @Test("an answer that was written cancels nothing when its client leaves later")
    func answered() throws {
        let stage = try Stage()
        try withServer(router: stage.router) { _, port in
            let socket = try begin(stage, port)
            stage.gate.put(true)
            #expect(try stage.ended.next("the handler's end") == false)
            try passTurn(port)
            socket.reset()
            try passTurn(port)
            #expect(try stage.left.all().isEmpty)
        }
    }
}
