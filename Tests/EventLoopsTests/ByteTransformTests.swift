import EventLoops
import HatoTesting
import Testing

@Suite("ByteTransform")
struct ByteTransformTests {
    /// Turns every byte over, greets by itself, and breaks at a byte 0xFF.
    private final class Flip: ByteTransform {
        private var isGreeted = false

        func decode(_ bytes: Span<UInt8>, plain: inout [UInt8], wire: inout [UInt8]) -> Bool {
            if !isGreeted {
                isGreeted = true
                wire.append(0xAA)
            }
            for index in bytes.indices {
                if bytes[index] == 0xFF { return false }
                plain.append(~bytes[index])
            }
            return true
        }

        func encode(_ bytes: Span<UInt8>, wire: inout [UInt8]) {
            for index in bytes.indices { wire.append(~bytes[index]) }
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
}
