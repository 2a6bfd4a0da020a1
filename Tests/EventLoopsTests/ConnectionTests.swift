import EventLoops
import HatoTesting
import Testing

@Suite("Connection")
struct ConnectionTests {
    private func receive(_ count: Int, from socket: TestSocket) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard try socket.receive(into: &bytes, awaiting: "\(count) bytes") else { break }
        }
        return bytes
    }

    private func receiveAll(from socket: TestSocket) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while try socket.receive(into: &bytes, awaiting: "the end") {}
        return bytes
    }

    @Test("echoes what comes, on one loop and on two", arguments: [1, 2])
    func echo(loops: Int) throws {
        try withGroup(loops: loops, handler: { _ in TestHandler.echo() }) { _, port in
            for round in 0..<20 {
                let socket = try TestSocket(port: port)
                let bytes = Array("hello \(round)".utf8)
                try socket.send(bytes)
                #expect(try receive(bytes.count, from: socket) == bytes)
            }
        }
    }

    @Test("writes frames and copies in the order they were sent, across backlog and turns")
    func order() throws {
        let expected = (0..<2_000).flatMap { [UInt8](repeating: UInt8($0 & 0xFF), count: $0 % 900) }
        let handler: @Sendable (Connection) -> any ConnectionHandler = { connection in
            connection.outboxLimits = .unlimited
            let handler = TestHandler()
            handler.onBytes = { _, connection in
                for number in 0..<2_000 {
                    let piece = [UInt8](repeating: UInt8(number & 0xFF), count: number % 900)
                    if number % 2 == 0 {
                        connection.send(Frame(piece))
                    } else {
                        connection.send(copying: piece.span)
                    }
                }
            }
            return handler
        }
        try withGroup(handler: handler) { _, port in
            let slow = try TestSocket(port: port, receiveBufferBytes: 2_048)
            let other = try TestSocket(port: port)
            try slow.send([1])
            try other.send([1])
            #expect(try receive(expected.count, from: other) == expected)
            #expect(try receive(expected.count, from: slow) == expected)
        }
    }

    @Test("takes any single frame when empty, all up to the limits, and nothing past them")
    func outboxLimits() throws {
        let results = try Mailbox<[Bool]>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onOverflow = { _ in }
            handler.onBytes = { bytes, connection in
                // Far more than the kernel takes, so that the rest stays queued.
                connection.outboxLimits = OutboxLimits(bytes: 1_000, frames: 5)
                connection.send(Frame([UInt8](repeating: 1, count: 16_000_000)))
                connection.loop.after(.milliseconds(1)) {
                    // A later turn: what the socket took is gone from the count.
                    let queued = connection.queuedBytes
                    connection.outboxLimits =
                        bytes[0] == 1
                        ? OutboxLimits(bytes: queued + 1_000, frames: 100)
                        : OutboxLimits(bytes: queued + 1_000_000, frames: 3)
                    let frame = Frame([UInt8](repeating: 2, count: 500))
                    results.put((0..<3).map { _ in connection.send(frame) })
                }
            }
            return handler
        }
        try withGroup(handler: handler) { _, port in
            for kind in [UInt8(1), 2] {
                let socket = try TestSocket(port: port, receiveBufferBytes: 2_048)
                try socket.send([kind])
                #expect(try results.next() == [true, true, false])
            }
        }
    }

    @Test("does not refuse a reader that keeps up, however much comes in one turn")
    func fastReader() throws {
        let results = try Mailbox<Int>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { connection in
            connection.outboxLimits = OutboxLimits(bytes: 1_000_000, frames: 100)
            let handler = TestHandler()
            handler.onBytes = { _, connection in
                let frame = Frame([3])
                results.put((0..<1_000).count { _ in connection.send(frame) })
            }
            return handler
        }
        try withGroup(handler: handler) { _, port in
            let socket = try TestSocket(port: port)
            try socket.send([1])
            #expect(try results.next() == 1_000)
            #expect(try receive(1_000, from: socket) == Array(repeating: 3, count: 1_000))
        }
    }

    @Test("answers a peer that has sent its FIN already")
    func halfClose() throws {
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onFinished = { connection in
                connection.send(Frame(Array("answer".utf8)))
                connection.close()
            }
            return handler
        }
        try withGroup(handler: handler) { _, port in
            let socket = try TestSocket(port: port)
            try socket.send([1, 2, 3])
            socket.finishSending()
            #expect(try receiveAll(from: socket) == Array("answer".utf8))
        }
    }

    @Test("lets the peer read the last answer although it goes on sending")
    func linger() throws {
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onBytes = { _, connection in
                connection.send(Frame(Array("go away".utf8)))
                connection.close()
            }
            return handler
        }
        try withGroup(handler: handler) { _, port in
            let socket = try TestSocket(port: port)
            try socket.send([UInt8](repeating: 1, count: 3_000_000))
            #expect(try receiveAll(from: socket) == Array("go away".utf8))
        }
    }

    @Test("closes a lingering connection whose peer stays, after the linger time")
    func lingerEnds() throws {
        let ended = try Mailbox<Bool>()
        var limits = LoopLimits()
        limits.linger = .milliseconds(30)
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onBytes = { _, connection in connection.close() }
            handler.onClosed = { _ in ended.put(true) }
            return handler
        }
        try withGroup(limits: limits, handler: handler) { group, port in
            let socket = try TestSocket(port: port)
            try socket.send([1])
            #expect(try ended.next("the end of the linger time"))
            #expect(group.counts.openConnections == 0)
            socket.close()
        }
    }

    @Test("drops a peer that takes nothing for the stalled-write time")
    func stalledWrite() throws {
        let ended = try Mailbox<Bool>()
        var limits = LoopLimits()
        limits.stalledWrite = .milliseconds(50)
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onBytes = { _, connection in
                connection.send(Frame([UInt8](repeating: 1, count: 20_000_000)))
            }
            handler.onClosed = { _ in ended.put(true) }
            return handler
        }
        try withGroup(limits: limits, handler: handler) { _, port in
            let socket = try TestSocket(port: port, receiveBufferBytes: 2_048)
            try socket.send([1])
            #expect(try ended.next("the stalled peer's end"))
            socket.close()
        }
    }

    @Test("tells a reset as closed, exactly once, in a storm of 300")
    func resetStorm() throws {
        let ended = try Mailbox<ConnectionID>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler.echo()
            handler.onClosed = { connection in ended.put(connection.id) }
            return handler
        }
        try withGroup(loops: 2, handler: handler) { group, port in
            for round in 0..<300 {
                let socket = try TestSocket(port: port)
                if round % 3 > 0 { try socket.send([UInt8](repeating: 1, count: round)) }
                socket.reset()
            }
            // A reset right after the handshake may remove the connection before it is accepted.
            let survivor = try TestSocket(port: port)
            try survivor.send([1])
            #expect(try receive(1, from: survivor) == [1])
            survivor.close()
            let deadline = Deadline()
            var seen: [ConnectionID] = []
            while seen.count < Int(group.counts.acceptedConnections), !deadline.hasPassed {
                seen.append(try ended.next("a reset connection's end"))
            }
            #expect(Set(seen).count == seen.count)
            #expect(group.counts.openConnections == 0)
        }
    }

    @Test("rings a deadline once, the last one that was set")
    func deadline() throws {
        let rung = try Mailbox<Bool>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { connection in
            connection.setDeadline(after: .milliseconds(1))
            let handler = TestHandler()
            handler.onBytes = { bytes, connection in
                switch bytes[0] {
                case 0: connection.clearDeadline()
                default: connection.setDeadline(after: .milliseconds(Int(bytes[0])))
                }
                connection.send(copying: bytes.span)
            }
            handler.onDeadline = { connection in rung.put(true) }
            return handler
        }
        try withGroup(handler: handler) { _, port in
            let socket = try TestSocket(port: port)
            #expect(try rung.next("the first deadline"))
            let start = ContinuousClock.now
            try socket.send([200])
            _ = try receive(1, from: socket)
            try socket.send([30])
            _ = try receive(1, from: socket)
            #expect(try rung.next("the nearer deadline"))
            #expect(ContinuousClock.now - start >= .milliseconds(30))
            try socket.send([5])
            try socket.send([0])
            _ = try receive(2, from: socket)
            #expect(try rung.all().count <= 1)
        }
    }

    @Test("finds a connection by its id only while it is that one")
    func identity() throws {
        let ids = try Mailbox<ConnectionID>()
        let ended = try Mailbox<Bool>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { connection in
            ids.put(connection.id)
            let handler = TestHandler.echo()
            handler.onClosed = { _ in ended.put(true) }
            return handler
        }
        try withGroup(handler: handler) { group, port in
            let first = try TestSocket(port: port)
            let id = try ids.next()
            first.reset()
            _ = try ended.next()
            let second = try TestSocket(port: port)
            let next = try ids.next()
            #expect(next.slot == id.slot && next.generation != id.generation)
            let found = try Mailbox<[Bool]>()
            let loop = group.loops[0]
            loop.execute {
                found.put([loop.connection(id) != nil, loop.connection(next) != nil])
            }
            #expect(try found.next() == [false, true])
            second.close()
        }
    }

    @Test("takes nothing to send after finishSending, and goes on reading")
    func finishSending() throws {
        let heard = try Mailbox<[UInt8]>()
        try withGroup(
            handler: { _ in
                let handler = TestHandler()
                handler.onBytes = { bytes, connection in
                    if connection.send(Frame(bytes)) { connection.finishSending() }
                    let isRefused =
                        !connection.send(Frame([0])) && !connection.send(copying: [0].span)
                    heard.put(isRefused ? bytes : [])
                    if bytes == [3] { connection.close() }
                }
                return handler
            }
        ) { _, port in
            let socket = try TestSocket(port: port)
            for byte in [1, 2, 3] as [UInt8] {
                try socket.send([byte])
                #expect(try heard.next() == [byte])
            }
            var answer: [UInt8] = []
            while try socket.receive(into: &answer, awaiting: "the end") {}
            #expect(answer == [1])
        }
    }

    @Test(
        "keeps a copied piece whole of which the socket has taken a part, when the rest is dropped",
        arguments: [false, true]
    )
    func dropsUnbegun(isFollowed: Bool) throws {
        let dropped = try Mailbox<Bool>()
        var limits = LoopLimits()
        // The piece is staged, and is more than the kernel takes.
        limits.arenaBytes = 20_000_000
        let piece = [UInt8](repeating: 5, count: 16_000_000)
        let handler: @Sendable (Connection) -> any ConnectionHandler = { connection in
            connection.outboxLimits = .unlimited
            let handler = TestHandler()
            handler.onBytes = { _, connection in
                connection.send(copying: piece.span)
                connection.loop.after(.milliseconds(1)) {
                    if isFollowed { connection.send(Frame([6])) }
                    let queued = connection.queuedBytes
                    let kept = connection.dropUnbegun()
                    connection.send(copying: [9].span)
                    connection.close()
                    dropped.put(kept == queued - (isFollowed ? 1 : 0) && kept < piece.count)
                }
            }
            return handler
        }
        try withGroup(limits: limits, handler: handler) { _, port in
            let socket = try TestSocket(port: port, receiveBufferBytes: 65_536)
            try socket.send([1])
            #expect(try dropped.next())
            // Compared outside of the expectation, which would describe all of it.
            let isWhole = try receiveAll(from: socket) == piece + [9]
            #expect(isWhole)
        }
    }

    @Test("an answer is written in parts, one a turn; what has a limit of its own at once")
    func partsOfATurn() throws {
        var limits = LoopLimits()
        limits.flushBytes = 1_000
        let queued = try Mailbox<Int>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { connection in
            let handler = TestHandler()
            handler.onBytes = { bytes, connection in
                if bytes[0] == 1 { connection.outboxLimits = .unlimited }
                // Before what this turn has queued is written.
                let connection = LoopBound(connection, on: connection.loop)
                connection.value.loop.atTurnEnd {
                    let count = connection.value.queuedBytes
                    if count > 0 { queued.put(count) }
                }
                let body = [UInt8](repeating: 7, count: 3_000 + Int(bytes[1]))
                connection.value.send(body: body, insteadOf: nil)
            }
            return handler
        }
        try withGroup(limits: limits, handler: handler) { _, port in
            for (kind, more, expected) in [
                (UInt8(1), UInt8(0), [3_000, 2_000, 1_000]), (1, 1, [3_001, 2_001, 1_001, 1]),
                (2, 1, [3_001]),
            ] {
                let socket = try TestSocket(port: port)
                try socket.send([kind, more])
                let count = 3_000 + Int(more)
                #expect(try receive(count, from: socket).count == count)
                #expect(try queued.all() == expected)
            }
        }
    }
}
