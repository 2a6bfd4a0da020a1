import EventLoops
import HTTPServer
import HatoTesting
import Testing

@testable import TransportSecurity

/// What a peer can do to the state machine.
@Suite("TLSStream")
struct TLSStreamTests {
    private let folder: TemporaryFolder
    private let context: TLSContext

    init() throws {
        folder = try TemporaryFolder()
        let made = try TestCertificate(in: folder)
        context = try TLSContext(
            ServerCertificate(certificate: made.certificate, key: made.key)
        )
    }

    /// A server's stream, and a client that has shaken hands with it.
    private func pair(_ version: TestTLS.Version? = nil) throws -> (TLSStream, TestTLS) {
        let stream = try #require(TLSStream(context))
        let client = try TestTLS(version)
        while try !client.shakeHands() {
            client.feed(decode(client.takeOutput(), by: stream).wire)
        }
        client.feed(decode(client.takeOutput(), by: stream).wire)
        return (stream, client)
    }

    private struct Decoded {
        var state: ByteTransformState
        var plain: [UInt8] = []
        var wire: [UInt8] = []
    }

    private func decode(_ bytes: [UInt8], by stream: TLSStream) -> Decoded {
        var decoded = Decoded(state: .open)
        decoded.state = stream.decode(bytes.span, plain: &decoded.plain, wire: &decoded.wire)
        return decoded
    }

    /// A handshake message that is announced to be longer than all that comes, in whole records.
    private func endlessHello(_ count: Int) -> [UInt8] {
        var content: [UInt8] = [1, 0x01, 0xFF, 0x00, 3, 3]
        content += [UInt8](repeating: 0, count: count)
        var bytes: [UInt8] = []
        while bytes.count < count {
            let size = min(16_384, content.count)
            bytes += [22, 3, 1, UInt8(size >> 8), UInt8(size & 0xFF)] + content.prefix(size)
            content.removeFirst(size)
        }
        return Array(bytes.prefix(count))
    }

    @Test("takes a handshake of 32,768 bytes, and not one byte more")
    func handshakeLimit() throws {
        let limit = TLSStream.handshakeLimitBytes
        #expect(limit == 32_768)
        for size in [1, 1_000, limit] {
            let stream = try #require(TLSStream(context))
            let bytes = endlessHello(limit + 1)
            var taken = 0
            while taken < limit {
                let part = Array(bytes[taken..<min(taken + size, limit)])
                #expect(decode(part, by: stream).state == .open)
                taken += part.count
            }
            #expect(decode([bytes[limit]], by: stream).state == .broken)
            #expect(decode([0], by: stream).state == .broken)
        }
    }

    @Test(
        "answers what is no TLS with nothing or an alert, and sends nothing after",
        arguments: [
            Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8),
            [UInt8](repeating: 0, count: 100),
            [UInt8](repeating: 0xFF, count: 100),
            [0x80, 0x2E, 1, 0, 2] + [UInt8](repeating: 1, count: 60),
        ]
    )
    func garbage(bytes: [UInt8]) throws {
        for isCut in [false, true] {
            let stream = try #require(TLSStream(context))
            var wire: [UInt8] = []
            var state = ByteTransformState.open
            for part in isCut ? bytes.map({ [$0] }) : [bytes] where state == .open {
                let decoded = decode(part, by: stream)
                state = decoded.state
                wire += decoded.wire
                #expect(decoded.plain.isEmpty)
            }
            #expect(state == .broken)
            #expect(wire.isEmpty || wire[0] == 21)
            var after: [UInt8] = []
            stream.finish(wire: &after)
            #expect(!stream.encode([1, 2, 3].span, wire: &after))
            #expect(after.isEmpty)
        }
    }

    @Test("survives any bytes, before and after the handshake")
    func noise() throws {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<300 {
            let isOpen = round % 2 == 0
            let stream = isOpen ? try pair().0 : try #require(TLSStream(context))
            var bytes = generator.bytes(Int.random(in: 1...2_000, using: &generator))
            // Some that look like a record.
            if round % 3 == 0 {
                bytes = [UInt8.random(in: 20...24, using: &generator), 3, 3, 1, 0] + bytes
            }
            let decoded = decode(bytes, by: stream)
            #expect(decoded.plain.isEmpty)
            _ = decode(generator.bytes(100), by: stream)
        }
    }

    @Test("breaks at a record that was changed on its way, with an alert")
    func changed() throws {
        let (stream, client) = try pair()
        try client.write([1, 2, 3])
        var record = client.takeOutput()
        record[record.count - 1] ^= 1
        let decoded = decode(record, by: stream)
        #expect(decoded.state == .broken)
        #expect(decoded.plain.isEmpty)
        client.feed(decoded.wire)
        var plain: [UInt8] = []
        #expect(throws: TestFailure.self) { try client.read(into: &plain) }
    }

    @Test("breaks at a record that comes twice")
    func replayed() throws {
        let (stream, client) = try pair()
        try client.write([1, 2, 3])
        let record = client.takeOutput()
        #expect(decode(record, by: stream).plain == [1, 2, 3])
        #expect(decode(record, by: stream).state == .broken)
    }

    @Test("refuses to renegotiate")
    func renegotiation() throws {
        let (stream, client) = try pair(.oneTwo)
        #expect(client.renegotiate())
        let hello = client.takeOutput()
        #expect(!hello.isEmpty)
        let decoded = decode(hello, by: stream)
        client.feed(decoded.wire)
        // An alert, no ServerHello: OpenSSL's client gives up at no_renegotiation.
        #expect(throws: TestFailure.self) { _ = try client.shakeHands() }
    }

    @Test("reads what came before close_notify, and nothing after it")
    func finished() throws {
        let (stream, client) = try pair()
        try client.write([1, 2, 3])
        client.finish()
        let decoded = decode(client.takeOutput() + [22, 3, 1, 0, 1, 0], by: stream)
        #expect(decoded.plain == [1, 2, 3])
        #expect(decoded.state == .finished)
        // Our own direction is still open.
        var wire: [UInt8] = []
        #expect(stream.encode([4, 5].span, wire: &wire))
        #expect(!wire.isEmpty)
        let size = wire.count
        stream.finish(wire: &wire)
        #expect(wire.count > size)
        let end = wire.count
        stream.finish(wire: &wire)
        #expect(!stream.encode([6].span, wire: &wire))
        #expect(wire.count == end)
    }

    @Test("says nothing at the end of a handshake that is not over")
    func finishedEarly() throws {
        let stream = try #require(TLSStream(context))
        let client = try TestTLS()
        #expect(try !client.shakeHands())
        #expect(decode(Array(client.takeOutput().prefix(10)), by: stream).state == .open)
        var wire: [UInt8] = []
        stream.finish(wire: &wire)
        #expect(wire.isEmpty)
    }

    @Test(
        "a message becomes no more on the wire than it said before",
        arguments: [
            TestTLS.Version.oneTwo, .oneThree,
        ]
    )
    func overhead(version: TestTLS.Version) throws {
        let (stream, client) = try pair(version)
        for count in [1, 100, 16_383, 16_384, 16_385, 100_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            var wire: [UInt8] = []
            #expect(stream.encode(bytes.span, wire: &wire))
            #expect(wire.count > count)
            #expect(wire.count <= stream.wireCount(of: count))
            client.feed(wire)
            var plain: [UInt8] = []
            try client.read(into: &plain)
            #expect(plain == bytes)
        }
        #expect(stream.wireCount(of: 0) == 0)
    }

    @Test(
        "finds http/1.1 in a list of protocols, and no more than that",
        arguments: [
            ([], nil),
            ([8] + Array("http/1.1".utf8), 1),
            ([2, 0x68, 0x32, 8] + Array("http/1.1".utf8), 4),
            ([9] + Array("http/1.11".utf8), nil),
            ([8] + Array("http/1.".utf8), nil),
            ([0, 0, 255, 1], nil),
        ] as [([UInt8], Int?)]
    )
    func protocols(list: [UInt8], place: Int?) {
        #expect(list.withUnsafeBufferPointer { ApplicationProtocol.find(in: $0) } == place)
    }
}
