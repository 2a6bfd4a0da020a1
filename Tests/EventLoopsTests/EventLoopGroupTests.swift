import Glibc
import HatoTesting
import Testing

@testable import EventLoops

@Suite("EventLoopGroup")
struct EventLoopGroupTests {
    @Test("refuses a port on which another group listens, and takes it again right after a stop")
    func portInUse() throws {
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in TestHandler.echo() }
        let port = try withGroup(loops: 2, handler: handler) { _, port in
            let second = try EventLoopGroup(count: 2, limits: LoopLimits())
            let address = ListenAddress(host: "127.0.0.1", port: UInt16(port))
            let failure = #expect(throws: LoopFailure.self) {
                try second.listen(address, handler: handler)
            }
            #expect(failure?.code == EADDRINUSE)
            #expect(failure?.description.contains("127.0.0.1:\(port)") == true)
            // Leaves a connection in TIME_WAIT on the server's side.
            let socket = try TestSocket(port: port)
            try socket.send([1])
            var answer: [UInt8] = []
            _ = try socket.receive(into: &answer, awaiting: "the echo")
            return port
        }
        let third = try EventLoopGroup(count: 2, limits: LoopLimits())
        #expect(
            try third.listen(
                ListenAddress(host: "127.0.0.1", port: UInt16(port)),
                handler: handler
            ) == UInt16(port)
        )
    }

    @Test(
        "reads addresses of IPv4, IPv6 and localhost",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:80", "[::1]:80"),
            ("localhost:0", "localhost:0"), ("0.0.0.0:65535", "0.0.0.0:65535"),
        ]
    )
    func addresses(text: String, description: String) {
        #expect(ListenAddress(parsing: text)?.description == description)
    }

    @Test(
        "refuses what is no address",
        arguments: [
            "", ":", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
            "127.0.0.1:+1", "::1:80", "[::1]", "[127.0.0.1]:80", "example.org:80", "256.0.0.1:1",
            "127.0.0.1:8o",
        ]
    )
    func wrongAddresses(text: String) {
        #expect(ListenAddress(parsing: text) == nil)
    }

    @Test("names its peers")
    func peers() throws {
        let peers = try Mailbox<PeerAddress>()
        try withGroup(
            handler: { connection in
                peers.put(connection.peer)
                return TestHandler.echo()
            }
        ) { _, port in
            let socket = try TestSocket(port: port)
            let peer = try peers.next()
            #expect(peer.host == "127.0.0.1")
            #expect(peer.description == "127.0.0.1:\(peer.port)")
            #expect(peer == PeerAddress(ipv4: 0x7F00_0001, port: peer.port))
            socket.close()
        }
    }

    @Test("pauses accepting at the limit, serves who is there, and goes on when one leaves")
    func connectionLimit() throws {
        var limits = LoopLimits()
        limits.connectionLimit = 3
        // Only a freed descriptor resumes within this test.
        limits.acceptPause = .seconds(600)
        try withGroup(limits: limits, handler: { _ in TestHandler.echo() }) { group, port in
            func echoes(_ socket: TestSocket) throws -> Bool {
                try socket.send([7])
                var answer: [UInt8] = []
                return try socket.receive(into: &answer, awaiting: "an echo") && answer == [7]
            }
            let served = try (0..<3).map { _ in try TestSocket(port: port) }
            for socket in served { #expect(try echoes(socket)) }
            let waiting = try TestSocket(port: port)
            try waiting.send([9])
            // The loop has seen the fourth and turned away from it; the others are served.
            let deadline = Deadline()
            while group.counts.acceptPauseCount == 0, !deadline.hasPassed {
                #expect(try echoes(served[0]))
            }
            #expect(group.counts.acceptPauseCount == 1)
            #expect(group.counts.openConnections == 3)
            served[1].reset()
            var answer: [UInt8] = []
            #expect(try waiting.receive(into: &answer, awaiting: "the echo after the pause"))
            #expect(answer == [9])
        }
    }

    @Test("resumes accepting by itself after the pause")
    func acceptPauseEnds() throws {
        var limits = LoopLimits()
        limits.connectionLimit = 1
        limits.acceptPause = .milliseconds(10)
        try withGroup(loops: 2, limits: limits, handler: { _ in TestHandler.echo() }) {
            group,
            port in
            let first = try TestSocket(port: port)
            let deadline = Deadline()
            while group.counts.openConnections == 0, !deadline.hasPassed { sched_yield() }
            // They fall to both loops, and both pause.
            let others = try (0..<16).map { _ in try TestSocket(port: port) }
            while group.counts.acceptPauseCount < 2, !deadline.hasPassed { sched_yield() }
            for socket in others { socket.reset() }
            first.close()
            // The loop that has held no connection learns only from its timer that there is room.
            for _ in 0..<16 {
                let socket = try TestSocket(port: port)
                try socket.send([5])
                var answer: [UInt8] = []
                #expect(try socket.receive(into: &answer, awaiting: "an echo"))
                #expect(answer == [5])
                socket.close()
            }
        }
    }

    @Test("stops within the bound although a handler ignores the stop")
    func boundedDrain() throws {
        let group = try EventLoopGroup(count: 2, limits: LoopLimits())
        let port = try group.listen(ListenAddress(host: "127.0.0.1", port: 0)) { _ in
            let handler = TestHandler.echo()
            handler.onStopping = { _ in }
            return handler
        }
        try group.start()
        let sockets = try (0..<4).map { _ in try TestSocket(port: Int(port)) }
        for socket in sockets {
            try socket.send([1])
            var answer: [UInt8] = []
            _ = try socket.receive(into: &answer, awaiting: "an echo")
        }
        let start = ContinuousClock.now
        group.drain(within: .milliseconds(50))
        group.stop()
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(group.counts.openConnections == 0)
        #expect(throws: TestFailure.self) { try TestSocket(port: Int(port)) }
    }

    @Test("a stop still serves all connections that the kernel has queued, however many batches")
    func drainsBacklog() throws {
        var limits = LoopLimits()
        limits.acceptBatch = 2
        let group = try EventLoopGroup(count: 1, limits: limits)
        let port = try group.listen(ListenAddress(host: "127.0.0.1", port: 0)) { _ in
            let handler = TestHandler.echo()
            handler.onStopping = { _ in }
            return handler
        }
        try group.start()
        let isHeld = try Mailbox<Bool>()
        let gate = try Mailbox<Bool>()
        let isDrained = try Mailbox<Bool>()
        let loop = group.loops[0]
        loop.execute {
            isHeld.put(true)
            _ = try? gate.next()
            loop.beginDrain(within: .seconds(10)) { isDrained.put(true) }
        }
        #expect(try isHeld.next())
        // The loop stands still: the kernel alone completes these handshakes.
        let sockets = try (0..<30).map { _ in try TestSocket(port: Int(port)) }
        for socket in sockets { try socket.send([4]) }
        gate.put(true)
        for socket in sockets {
            var answer: [UInt8] = []
            #expect(try socket.receive(into: &answer, awaiting: "an echo"))
            #expect(answer == [4])
            socket.close()
        }
        #expect(try isDrained.next())
        group.stop()
        #expect(group.counts.acceptedConnections == 30)
    }
}
