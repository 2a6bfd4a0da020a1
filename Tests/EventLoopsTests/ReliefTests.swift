import EventLoops
import Glibc
import HatoTesting
import Synchronization
import Telemetry
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
                let answer = [UInt8](repeating: name, count: ReliefTests.answerBytes)
                connection.send(body: answer, insteadOf: nil)
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

    /// Returns when those who take nothing have taken nothing for so long.
    private func pass(ticks: Int, of loop: EventLoop, _ limits: LoopLimits) throws {
        let passed = try Mailbox<Bool>()
        loop.execute { loop.after(limits.tick * ticks) { passed.put(true) } }
        _ = try passed.next("some ticks")
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
            for name in 1...2 { try ask(UInt8(name)) }
            let reader = try TestSocket(port: port)
            try reader.send([99])
            _ = try asked.next("the reader's question")
            #expect(try readAnswer(reader) == ReliefTests.answerBytes)
            // Two whole answers: what the kernel keeps of them is in memory as well.
            #expect(group.counts.answers.bytes >= 2 * ReliefTests.answerBytes)
            #expect(try closed.all().isEmpty)

            for name in 3...24 {
                try ask(UInt8(name))
                // At once, not when the turn has ended.
                #expect(group.counts.answers.bytes <= limits.unsentBytes)
            }
            // Of 24 answers three fit.
            for _ in 0..<21 { #expect(try closed.next("a connection to be dropped") != 99) }
            for loop in group.loops { try pass(ticks: 2, of: loop, limits) }
            try reader.send([99])
            _ = try asked.next("the reader's question")
            #expect(try readAnswer(reader) == ReliefTests.answerBytes)
            #expect(!group.counts.answers.isPastMark)
            #expect(try !closed.all().contains(99))

            // They are told by a reset: what the kernel kept for them is gone too.
            #expect(sockets.contains(where: isReset))
            for socket in sockets { socket.reset() }
            let end = Deadline()
            while group.counts.answers.bytes > 0, !end.hasPassed { sched_yield() }
            #expect(group.counts.answers.bytes == 0)
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
            #expect(group.counts.answers.bytes == 0)
            #expect(try readAnswer(socket) == ReliefTests.answerBytes)
        }
    }

    /// Has `count` connections that read nothing sent an answer each, all in one turn; returns the most that was held after
    /// one of them, and how many were still open then.
    private func heldInOneTurn(
        _ count: Int,
        limits: LoopLimits,
        answer: @escaping @Sendable (Connection, ByteBudget) -> Void,
        after: () -> Void = {}
    ) throws -> (most: Int, open: Int) {
        let came = try Mailbox<LoopBound<Connection>>()
        let told = try Mailbox<(Int, Int)>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { connection in
            connection.outboxLimits = .unlimited
            let handler = TestHandler()
            handler.onBytes = { _, connection in
                came.put(LoopBound(connection, on: connection.loop))
            }
            return handler
        }
        return try withGroup(limits: limits, handler: handler) { group, port in
            var sockets: [TestSocket] = []
            var bound: [LoopBound<Connection>] = []
            for _ in 0..<count {
                let socket = try TestSocket(port: port, receiveBufferBytes: 2_048)
                try socket.send([1])
                bound.append(try came.next("a connection"))
                sockets.append(socket)
            }
            let connections = bound
            let budget = group.counts.answers
            group.loops[0].execute {
                var most = 0
                for connection in connections {
                    answer(connection.value, budget)
                    most = max(most, budget.bytes)
                }
                told.put((most, connections.count(where: { $0.value.isOpen })))
            }
            let seen = try told.next("the turn")
            after()
            for socket in sockets { socket.reset() }
            let end = Deadline()
            while budget.bytes > 0, !end.hasPassed { sched_yield() }
            #expect(budget.bytes == 0)
            return seen
        }
    }

    @Test("what one turn queues is within the limit at each moment")
    func oneTurn() throws {
        var limits = LoopLimits()
        limits.unsentBytes = 8_000_000
        let (most, open) = try heldInOneTurn(30, limits: limits) { connection, _ in
            connection.send(body: [UInt8](repeating: 1, count: 2_000_000), insteadOf: nil)
        }
        #expect(most > 4_000_000 && most <= 8_000_000)
        #expect((1...3).contains(open))
    }

    @Test("an answer counts at once from the size on that is prompt, one less at the turn's end")
    func promptSize() throws {
        var limits = LoopLimits()
        limits.promptBodyBytes = 300_000
        limits.flushBytes = 1
        for (count, isPrompt) in [(300_000, true), (299_999, false)] {
            let (most, _) = try heldInOneTurn(2, limits: limits) { connection, _ in
                connection.send(body: [UInt8](repeating: 1, count: count), insteadOf: nil)
            }
            #expect(most == (isPrompt ? 2 * count : 0))
        }
    }

    @Test("what was reserved for an answer is counted once when it is queued")
    func reservation() throws {
        var limits = LoopLimits()
        limits.flushBytes = 1
        let (most, open) = try heldInOneTurn(2, limits: limits) { connection, budget in
            let reservation = ByteReservation(of: budget)
            #expect(reservation.grow(to: 200_000))
            connection.send(
                body: [UInt8](repeating: 1, count: 100_000),
                insteadOf: reservation
            )
        }
        #expect(most == 200_000)
        #expect(open == 2)
    }

    @Test("what is being made takes from what may lie unread, down to a quarter of the mark")
    func reservedElsewhere() throws {
        var limits = LoopLimits()
        limits.unsentBytes = 8_000_000
        limits.flushBytes = 1
        for (made, held) in [(0, 6), (4_000_000, 2), (8_000_000, 1)] {
            let being = Mutex<ByteReservation?>(nil)
            let (_, open) = try heldInOneTurn(12, limits: limits) { connection, budget in
                being.withLock { being in
                    guard being == nil, made > 0 else { return }
                    being = ByteReservation(of: budget)
                    #expect(being?.grow(to: made) == true)
                }
                connection.send(body: [UInt8](repeating: 1, count: 1_000_000), insteadOf: nil)
            } after: {
                being.withLock { $0 = nil }
            }
            #expect(open <= held)
            #expect(open >= 1)
        }
    }

    @Test("an answer that alone is past the limit is not dropped")
    func alone() throws {
        var limits = LoopLimits()
        limits.unsentBytes = 1_000_000
        let (most, open) = try heldInOneTurn(1, limits: limits) { connection, _ in
            connection.send(body: [UInt8](repeating: 1, count: 3_000_000), insteadOf: nil)
        }
        #expect(most == 3_000_000)
        #expect(open == 1)
    }
}
