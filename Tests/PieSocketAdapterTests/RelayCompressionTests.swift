import Compression
import HatoTesting
import PieSocketAdapter
import Testing

@Suite("Relay with compression")
struct RelayCompressionTests {
    private static let text = (0..<200).map { "message \($0) of Ann, " }.joined()

    private func member(_ fixture: RelayFixture, _ offer: String?) throws -> TestWebSocketClient {
        let socket = try fixture.socket(
            "room",
            headers: offer.map { [("Sec-WebSocket-Extensions", $0)] } ?? []
        )
        socket.unpack = { try Inflater().message($0.span, limitBytes: 1_048_576) }
        return socket
    }

    @Test("gives each member its form of a message, in one order")
    func mixed() throws {
        let fixture = try RelayFixture(limits: PieSocketLimits(allowsCompression: true))
        let members = try [
            nil, "permessage-deflate", "permessage-deflate; server_max_window_bits=9", nil,
            "permessage-deflate",
        ].map { try member(fixture, $0) }
        let sender = try member(fixture, "permessage-deflate")
        for number in 0..<20 {
            try sender.send(text: number % 2 == 0 ? "\(number)" : Self.text + "\(number)")
        }
        for member in members {
            for number in 0..<20 {
                let text = number % 2 == 0 ? "\(number)" : Self.text + "\(number)"
                #expect(try member.receive() == .text(text))
            }
        }
        #expect(members.map(\.compressedCount) == [0, 10, 10, 0, 10])
    }

    @Test("relays what came compressed to those who take it plain")
    func unpacks() throws {
        let fixture = try RelayFixture(limits: PieSocketLimits(allowsCompression: true))
        let plain = try member(fixture, nil)
        let sender = try member(fixture, "permessage-deflate")
        let packed = MessageDeflater().pack(Array(Self.text.utf8).span, windowBits: 15)
        try sender.send(opcode: 1, payload: try #require(packed), isCompressed: true)
        #expect(try plain.receive() == .text(Self.text))
    }
}
