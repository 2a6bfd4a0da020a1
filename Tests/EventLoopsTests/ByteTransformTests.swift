import Glibc
import HatoTesting
import Telemetry
import Testing

@testable import EventLoops

@Suite("ByteTransform")
struct ByteTransformTests {
    /// Turns every byte over, greets by itself, finishes at a byte 0xFE and breaks at 0xFF.
    private final class Flip: ByteTransform {
        private var isGreeted = false

        let isSecure = false

        func wireCount(of count: Int) -> Int { count }

        func decode(
            _ bytes: Span<UInt8>,
            plain: inout [UInt8],
            wire: inout [UInt8]
        ) -> ByteTransformState {
            if !isGreeted {
                isGreeted = true
                wire.append(0xAA)
            }
            for index in bytes.indices {
                if bytes[index] == 0xFF { return .broken }
                if bytes[index] == 0xFE { return .finished }
                plain.append(~bytes[index])
            }
            return .open
        }

        func encode(_ bytes: Span<UInt8>, wire: inout [UInt8]) -> Bool {
            for index in bytes.indices { wire.append(~bytes[index]) }
            return true
        }

        func finish(wire: inout [UInt8]) {
            wire.append(0xBB)
        }
    }

    @Test("stands below a handler that knows nothing of it, both ways and at the end")
    func roundTrip() throws {
        let seen = try Mailbox<[UInt8]>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onBytes = { bytes, connection in
                seen.put(bytes)
                connection.send(Frame(bytes))
                let (first, rest) = (Array(bytes.prefix(1)), Array(bytes.dropFirst()))
                connection.send(copying: first.span, rest.span)
            }
            return handler
        }
        try withGroup(transform: { _ in Flip() }, handler: handler) { _, port in
            let socket = try TestSocket(port: port)
            try socket.send([0x01, 0x02])
            #expect(try seen.next() == [0xFE, 0xFD])
            socket.finishSending()
            var answer: [UInt8] = []
            while try socket.receive(into: &answer, awaiting: "the end") {}
            #expect(answer == [0xAA, 0x01, 0x02, 0x01, 0x02, 0xBB])
        }
    }

    @Test("tells the handler when the peer says that it sends no more, as of a FIN")
    func finished() throws {
        let ends = try Mailbox<String>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onBytes = { bytes, _ in ends.put("bytes \(bytes)") }
            handler.onFinished = { connection in
                ends.put("finished")
                connection.send(Frame([0x0F]))
                connection.close()
            }
            return handler
        }
        try withGroup(transform: { _ in Flip() }, handler: handler) { _, port in
            let socket = try TestSocket(port: port)
            try socket.send([0x01, 0xFE])
            #expect(try ends.next() == "bytes [254]")
            #expect(try ends.next() == "finished")
            var answer: [UInt8] = []
            while try socket.receive(into: &answer, awaiting: "the end") {}
            #expect(answer == [0xAA, 0xF0, 0xBB])
        }
    }

    @Test("closes a stream that it finds broken, after its own last bytes")
    func broken() throws {
        try withGroup(transform: { _ in Flip() }, handler: { _ in TestHandler.echo() }) { _, port in
            let socket = try TestSocket(port: port)
            try socket.send([0x01, 0xFF])
            var answer: [UInt8] = []
            while try socket.receive(into: &answer, awaiting: "the end") {}
            #expect(answer == [0xAA, 0x01, 0xBB])
        }
    }

    /// Says each piece twice.
    private final class Double: ByteTransform {
        let isSecure = true

        func wireCount(of count: Int) -> Int { 2 * count }

        func decode(
            _ bytes: Span<UInt8>,
            plain: inout [UInt8],
            wire: inout [UInt8]
        ) -> ByteTransformState {
            bytes.withUnsafeBytes { plain.append(contentsOf: $0) }
            return .open
        }

        func encode(_ bytes: Span<UInt8>, wire: inout [UInt8]) -> Bool {
            bytes.withUnsafeBytes { bytes in
                wire.append(contentsOf: bytes)
                wire.append(contentsOf: bytes)
            }
            return true
        }

        func finish(wire: inout [UInt8]) {}
    }

    @Test("the outbox holds its limit in bytes on the wire, and not one more")
    func outboxLimit() throws {
        let results = try Mailbox<[Bool]>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { connection in
            #expect(connection.isSecure)
            let handler = TestHandler()
            handler.onOverflow = { _ in }
            handler.onBytes = { _, connection in
                // More than sockets take, so that the rest of the limit is known.
                let first = Frame([UInt8](repeating: 1, count: 20_000_000))
                connection.outboxLimits = OutboxLimits(bytes: .max, frames: 1_000)
                let isBegun = connection.send(first)
                connection.send(Frame([2]))
                // In the next turn: after the socket has taken what it can.
                connection.loop.after(.milliseconds(1)) {
                    let queued = connection.queuedBytes
                    connection.outboxLimits = OutboxLimits(bytes: queued + 20, frames: 1_000)
                    let isPastTaken = connection.send(
                        copying: [UInt8](repeating: 3, count: 11).span
                    )
                    let isLastTaken = connection.send(
                        copying: [UInt8](repeating: 3, count: 10).span
                    )
                    results.put([isBegun, isPastTaken, isLastTaken])
                    connection.abort()
                }
            }
            return handler
        }
        try withGroup(transform: { _ in Double() }, handler: handler) { _, port in
            let socket = try TestSocket(port: port, receiveBufferBytes: 8_192)
            try socket.send([1])
            #expect(try results.next() == [true, false, true])
        }
    }

    @Test("what is larger than the loop's memory comes whole and in order, between what is small")
    func large() throws {
        let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onBytes = { _, connection in
                connection.send(copying: [1].span, [2].span)
                connection.send(copying: [3].span, large.span)
                connection.send(Frame([4]))
                connection.close()
            }
            return handler
        }
        try withGroup(transform: { _ in Double() }, handler: handler) { _, port in
            let socket = try TestSocket(port: port)
            try socket.send([1])
            var answer: [UInt8] = []
            while try socket.receive(into: &answer, awaiting: "the end") {}
            // What is small is encoded as one piece.
            #expect(answer == [1, 2, 1, 2, 3, 3] + large + large + [4, 4])
        }
    }

    /// Counts what it was given to encode; adds a byte to each piece.
    private final class Meter: ByteTransform {
        let isSecure = true
        private let tell: @Sendable (Int) -> Void

        init(tell: @escaping @Sendable (Int) -> Void) {
            self.tell = tell
        }

        func wireCount(of count: Int) -> Int { count }

        func decode(
            _ bytes: Span<UInt8>,
            plain: inout [UInt8],
            wire: inout [UInt8]
        ) -> ByteTransformState {
            bytes.withUnsafeBytes { plain.append(contentsOf: $0) }
            return bytes.withUnsafeBufferPointer { $0.contains(0xFF) } ? .broken : .open
        }

        func encode(_ bytes: Span<UInt8>, wire: inout [UInt8]) -> Bool {
            bytes.withUnsafeBytes { wire.append(contentsOf: $0) }
            tell(bytes.count)
            return true
        }

        func finish(wire: inout [UInt8]) {
            wire.append(0xBB)
        }
    }

    @Test("a large frame is transformed as the socket takes it, and what follows stays behind it")
    func pieces() throws {
        let large = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var limits = LoopLimits()
        limits.pieceBytes = 10_000
        let pieces = try Mailbox<Int>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onBytes = { _, connection in
                connection.outboxLimits = .unlimited
                connection.send(copying: [1].span)
                connection.send(body: large, insteadOf: nil)
                connection.send(copying: [2].span, [3].span)
                connection.send(Frame([4]))
                connection.close()
            }
            return handler
        }
        let transform: @Sendable (Connection) -> any ByteTransform = { _ in
            Meter { pieces.put($0) }
        }
        try withGroup(limits: limits, transform: transform, handler: handler) { group, port in
            let socket = try TestSocket(port: port, receiveBufferBytes: 8_192)
            try socket.send([1])
            #expect(try pieces.next("what is small") == 1)
            #expect(try pieces.next("the first piece") == 10_000)
            // All is held, and what the kernel does not take is not transformed.
            let deadline = Deadline()
            while group.counts.answers.bytes < large.count, !deadline.hasPassed { sched_yield() }
            #expect(group.counts.answers.bytes < large.count + 2 * limits.pieceBytes)
            var answer: [UInt8] = []
            answer.reserveCapacity(large.count + 10)
            #expect(try socket.receive(into: &answer, awaiting: "the beginning"))
            let begun = try pieces.all()
            #expect(begun.count < large.count / limits.pieceBytes / 2)
            // While it is read, what is sent is not kept twice.
            while answer.count < large.count / 2 {
                #expect(try socket.receive(into: &answer, awaiting: "more"))
                #expect(group.counts.answers.bytes < large.count + 2 * limits.pieceBytes)
            }
            while try socket.receive(into: &answer, awaiting: "the end") {}
            #expect(answer == [1] + large + [2, 3, 4, 0xBB])
            #expect(try (begun + pieces.all()).allSatisfy { $0 <= limits.pieceBytes })
            #expect(group.counts.answers.bytes == 0)
        }
    }

    @Test("a frame of a piece's size is transformed at once, one byte more when it is written")
    func pieceLimit() throws {
        let pieces = try Mailbox<Int>()
        let told = try Mailbox<[Int]>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onBytes = { _, connection in
                let size = connection.loop.limits.pieceBytes
                var seen: [Int] = []
                for count in [size, size + 1] {
                    connection.send(Frame([UInt8](repeating: 1, count: count)))
                    seen += (try? pieces.all()) ?? []
                }
                told.put(seen)
            }
            return handler
        }
        let transform: @Sendable (Connection) -> any ByteTransform = { _ in
            Meter { pieces.put($0) }
        }
        try withGroup(transform: transform, handler: handler) { _, port in
            let socket = try TestSocket(port: port)
            try socket.send([1])
            #expect(try told.next() == [LoopLimits().pieceBytes])
            #expect(try pieces.next("a piece") == LoopLimits().pieceBytes)
            #expect(try pieces.next("its rest") == 1)
        }
    }

    @Test("a stream that breaks sends what is transformed and nothing more")
    func brokenWithRest() throws {
        let pieces = try Mailbox<Int>()
        let handler: @Sendable (Connection) -> any ConnectionHandler = { _ in
            let handler = TestHandler()
            handler.onBytes = { bytes, connection in
                guard bytes == [1] else { return }
                connection.outboxLimits = .unlimited
                connection.send(body: [UInt8](repeating: 1, count: 20_000_000), insteadOf: nil)
            }
            return handler
        }
        let transform: @Sendable (Connection) -> any ByteTransform = { _ in
            Meter { pieces.put($0) }
        }
        try withGroup(transform: transform, handler: handler) { group, port in
            let socket = try TestSocket(port: port, receiveBufferBytes: 8_192)
            try socket.send([1])
            _ = try pieces.next("the first piece")
            try socket.send([0xFF])
            let deadline = Deadline()
            while group.counts.answers.bytes > 10_000_000, !deadline.hasPassed { sched_yield() }
            var answer: [UInt8] = []
            while try socket.receive(into: &answer, awaiting: "the end") {}
            #expect(answer.last == 0xBB)
            let begun = try LoopLimits().pieceBytes + pieces.all().reduce(0, +)
            #expect(answer.count == begun + 1 && begun < 20_000_000)
        }
    }
}
