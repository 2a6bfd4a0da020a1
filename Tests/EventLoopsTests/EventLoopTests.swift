import EventLoops
import HatoTesting
import Testing

@Suite("EventLoop")
struct EventLoopTests {
    private func withLoop<Result>(_ body: (EventLoop) async throws -> Result) async throws -> Result
    {
        let group = try EventLoopGroup(count: 1, limits: LoopLimits())
        try group.start()
        defer { group.stop() }
        return try await body(group.loops[0])
    }

    @Test("runs queued work in the order of queueing, whichever thread queues it")
    func fifo() async throws {
        try await withLoop { loop in
            let order = try Mailbox<Int>()
            let others = try (0..<4).map { thread in
                try SystemThread(name: "queuer") {
                    for number in 0..<500 {
                        loop.execute { order.put(thread * 1_000 + number) }
                    }
                }
            }
            for thread in others { thread.join() }
            // Queued from the loop itself while another's work waits behind it.
            loop.execute {
                loop.execute { order.put(9_001) }
            }
            let last = try Mailbox<Bool>()
            loop.execute { loop.execute { last.put(true) } }
            _ = try last.next()
            let seen = try order.all()
            #expect(seen.count == 2_001)
            for thread in 0..<4 {
                let own = seen.filter { $0 / 1_000 == thread }
                #expect(own == (0..<500).map { thread * 1_000 + $0 })
            }
            #expect(seen.last == 9_001)
        }
    }

    @Test("knows its own thread")
    func current() async throws {
        try await withLoop { loop in
            let seen = try Mailbox<Bool>()
            loop.execute { seen.put(loop.isCurrent) }
            #expect(try seen.next())
            #expect(!loop.isCurrent)
        }
    }

    @Test("runs a task that prefers it on its thread before and after each suspension")
    func executor() async throws {
        try await withLoop { loop in
            let pool = try WorkerPool(name: "test", threads: 1, queueLimit: 10)
            let seen = await Task(executorPreference: loop) {
                var seen = [loop.isCurrent]
                for _ in 0..<5 {
                    _ = try? await pool.run { _ in 0 }
                    seen.append(loop.isCurrent)
                    await Task.yield()
                    seen.append(loop.isCurrent)
                }
                return seen
            }.value
            #expect(seen == Array(repeating: true, count: 11))
            pool.close()
        }
    }

    @Test("calls turn-end hooks after the work of the turn")
    func hooks() async throws {
        try await withLoop { loop in
            let order = try Mailbox<String>()
            loop.execute {
                loop.atTurnEnd { order.put("end") }
                order.put("work")
                loop.execute { order.put("more work") }
            }
            #expect(try order.next() == "work")
            #expect(try order.next() == "more work")
            #expect(try order.next() == "end")
        }
    }

    @Test("rings alarms in order and not before their time")
    func alarms() async throws {
        try await withLoop { loop in
            let rung = try Mailbox<Int>()
            let start = ContinuousClock.now
            loop.execute {
                loop.after(.milliseconds(40)) { rung.put(40) }
                loop.after(.milliseconds(10)) { rung.put(10) }
                loop.after(.milliseconds(20)) { rung.put(20) }
            }
            #expect(try [rung.next(), rung.next(), rung.next()] == [10, 20, 40])
            #expect(ContinuousClock.now - start >= .milliseconds(40))
        }
    }

    @Test("does what is queued although its sockets ask for more than a turn's answers")
    func queueBesideSockets() throws {
        var limits = LoopLimits()
        limits.answerBytesPerTurn = 1_000
        let group = try EventLoopGroup(count: 1, limits: limits)
        let loop = group.loops[0]
        let (work, first) = (0, 1)
        let (seen, came) = (try Mailbox<Int>(), try Mailbox<Bool>())
        let (held, gate) = (try Mailbox<Bool>(), try Mailbox<Bool>())
        let port = try group.listen(ListenAddress(host: "127.0.0.1", port: 0)) { connection in
            connection.outboxLimits = .unlimited
            came.put(true)
            let handler = TestHandler()
            handler.onBytes = { bytes, connection in
                if Int(bytes[0]) == first {
                    held.put(true)
                    _ = try? gate.next("all questions")
                }
                seen.put(Int(bytes[0]))
                connection.send(body: [UInt8](repeating: 1, count: 1_000), insteadOf: nil)
            }
            return handler
        }
        try group.start()
        defer { group.stop() }
        var sockets: [TestSocket] = []
        for _ in 0..<5 {
            sockets.append(try TestSocket(port: Int(port)))
            _ = try came.next("a connection")
        }
        // The loop stands in the first question's turn until all others and the work wait for it.
        try sockets[0].send([UInt8(first)])
        _ = try held.next("the loop to stand")
        for number in 1..<5 { try sockets[number].send([UInt8(first + number)]) }
        loop.execute { seen.put(work) }
        gate.put(true)
        var order: [Int] = []
        while order.count < 6 { order.append(try seen.next("an answer or the work")) }
        // One answer is all that a turn takes, and the work is done in the same.
        #expect(order.first == first)
        #expect(order.firstIndex(of: work) == 1)
    }

    @Test(
        "takes answers up to a turn's limit, and the rest in order in the turns that follow",
        arguments: [(499, [3, 3, 3, 1]), (500, [2, 2, 2, 2, 2])]
    )
    func answersOfATurn(bytes: Int, expected: [Int]) throws {
        var limits = LoopLimits()
        limits.answerBytesPerTurn = 1_000
        let group = try EventLoopGroup(count: 1, limits: limits)
        let loop = group.loops[0]
        let events = try Mailbox<Int>()
        let (turnEnded, connected) = (-1, try Mailbox<LoopBound<Connection>>())
        let port = try group.listen(ListenAddress(host: "127.0.0.1", port: 0)) { connection in
            connection.outboxLimits = .unlimited
            connected.put(LoopBound(connection, on: connection.loop))
            return TestHandler()
        }
        loop.atTurnEnd { events.put(turnEnded) }
        try group.start()
        defer { group.stop() }
        let socket = try TestSocket(port: Int(port))
        let connection = try connected.next("the connection")
        let done = try Mailbox<Bool>()
        // All in one turn's mail.
        loop.execute {
            for number in 0..<10 {
                loop.execute {
                    events.put(number)
                    let body = [UInt8](repeating: 1, count: bytes)
                    connection.value.send(body: body, insteadOf: nil)
                }
            }
            loop.execute { done.put(true) }
        }
        _ = try done.next("the last work")
        let seen = try events.all()
        #expect(seen.filter { $0 != turnEnded } == Array(0..<10))
        let turns = seen.split(separator: turnEnded).map(\.count)
        #expect(turns == expected)
        var answer: [UInt8] = []
        while answer.count < 10 * bytes, try socket.receive(into: &answer, awaiting: "answers") {}
        #expect(answer.count == 10 * bytes)
    }
}
