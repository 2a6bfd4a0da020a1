import EventLoops
import Glibc
import HatoTesting
import Testing

/// The bound over what all connections together have unsent.
@Suite("Relief from unread answers")
struct ReliefTests {
    private static let answerBytes = 8_388_608

    /// Sends an answer to each byte that comes, and tells of it and of the connection's end.
    private func answerer(
        asked: Mailbox<UInt8>,
        closed: Mailbox<UInt8>,
        limits: OutboxLimits = .unlimited
    ) -> @Sendable (Connection) -> any ConnectionHandler {
        { connection in
            connection.outboxLimits = limits
            let handler = TestHandler()
            var name: UInt8 = 0
            handler.onBytes = { bytes, connection in
                name = bytes[0]
                connection.send(Frame([UInt8](repeating: name, count: ReliefTests.answerBytes)))
                asked.put(name)
            }
            handler.onClosed = { _ in closed.put(name) }
            return handler
        }
    }

    private func isReset(_ socket: TestSocket) -> Bool {
        var entry = pollfd(fd: socket.descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & CShort(POLLERR) != 0
    }

    private func readAnswer(_ socket: TestSocket) throws -> Int {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ReliefTests.answerBytes)
        while bytes.count < ReliefTests.answerBytes,
            try socket.receive(into: &bytes, awaiting: "the answer")
        {}
        return bytes.count
    }

    @Test(
        "what is within the limit stays; past it those that do not read are dropped",
        arguments: [1, 2]
    )
    func drops(loops: Int) throws {
        var limits = LoopLimits()
        limits.unsentBytes = 4 * ReliefTests.answerBytes
        let (asked, closed) = (try Mailbox<UInt8>(), try Mailbox<UInt8>())
        let handler = answerer(asked: asked, closed: closed)
        try withGroup(loops: loops, limits: limits, handler: handler) { group, port in
            var sockets: [TestSocket] = []
            func ask(_ name: UInt8) throws {
                let socket = try TestSocket(port: port, receiveBufferBytes: 2_048)
                try socket.send([name])
                #expect(try asked.next("the question") == name)
                sockets.append(socket)
            }
            for name in 1...4 { try ask(UInt8(name)) }
            let reader = try TestSocket(port: port)
            try reader.send([99])
            _ = try asked.next("the reader's question")
            #expect(try readAnswer(reader) == ReliefTests.answerBytes)
            // The kernel keeps some of each, so that five answers are not past four answers' bytes.
            #expect(group.counts.unsentBytes > 0)
            #expect(try closed.all().isEmpty)

            for name in 5...24 { try ask(UInt8(name)) }
            // Of 24 answers the kernel keeps less than half; four fit.
            for _ in 0..<6 { #expect(try closed.next("a connection to be dropped") != 99) }
            try reader.send([99])
            _ = try asked.next("the reader's question")
            #expect(try readAnswer(reader) == ReliefTests.answerBytes)
            let deadline = Deadline()
            while group.counts.unsentBytes > limits.unsentBytes, !deadline.hasPassed {
                sched_yield()
            }
            #expect(group.counts.unsentBytes <= limits.unsentBytes)
            #expect(try !closed.all().contains(99))

            // They are told by a reset: what the kernel kept for them is gone too.
            #expect(sockets.contains(where: isReset))
            for socket in sockets { socket.reset() }
            let end = Deadline()
            while group.counts.unsentBytes > 0, !end.hasPassed { sched_yield() }
            #expect(group.counts.unsentBytes == 0)
        }
    }

    @Test("connections with a limit of their own do not count")
    func ownLimits() throws {
        var limits = LoopLimits()
        limits.unsentBytes = 1
        let (asked, closed) = (try Mailbox<UInt8>(), try Mailbox<UInt8>())
        let handler = answerer(asked: asked, closed: closed, limits: .standard)
        try withGroup(limits: limits, handler: handler) { group, port in
            let socket = try TestSocket(port: port, receiveBufferBytes: 2_048)
            let second = try TestSocket(port: port)
            for (name, socket) in [(UInt8(1), socket), (2, second)] {
                try socket.send([name])
                _ = try asked.next("the question")
            }
            #expect(try readAnswer(second) == ReliefTests.answerBytes)
            #expect(group.counts.unsentBytes == 0)
            #expect(try readAnswer(socket) == ReliefTests.answerBytes)
        }
    }
}
