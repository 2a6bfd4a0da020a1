import EventLoops
import Foundation
import HatoTesting
import HatoWire
import ObjectModel
import PieSocketAdapter
import Realtime
import Testing

@Suite("Order of a channel")
struct ChannelOrderTests {
    private static let publishers = 4
    private static let senders = 4
    private static let readers = 20
    private static let perSource = 1_250
    private static let total = (publishers + senders) * perSource

    private static func change(_ publisher: Int, _ number: Int) throws -> Change {
        let object = StoredObject(
            row: Int64(number),
            id: Text("P\(publisher)N\(number)"),
            created: Timestamp(millisecondsSinceEpoch: 0),
            updated: Timestamp(millisecondsSinceEpoch: 0),
            acl: .everybody,
            document: Array(#"{"from":"P\#(publisher)"}"#.utf8)
        )
        return Change(
            sequence: Int64(number),
            kind: .create,
            className: try ClassName(dataStore: "Room"),
            settings: ClassSettings(),
            before: nil,
            after: object
        )
    }

    @Test("is one sequence of 10,000 for 20 readers on both loops, 4 writers and 4 senders")
    func oneSequence() throws {
        let fixture = try RelayFixture(
            limits: PieSocketLimits(outbox: OutboxLimits(bytes: 1 << 26, frames: Self.total))
        )
        let readers = try fixture.sockets("Room", count: Self.readers)
        let senders = try (0..<Self.senders).map {
            try fixture.socket("Room", "&notify_self", seed: UInt64(1_000 + $0))
        }
        let sequences = try Mailbox<[String]>()
        for socket in readers + senders {
            let reader = Handed(socket)
            Thread.detachNewThread { sequences.put(reader.sequence(of: Self.total)) }
        }
        for number in senders.indices {
            let sender = Handed(senders[number])
            Thread.detachNewThread {
                for message in 0..<Self.perSource { sender.send("S\(number)N\(message)") }
            }
        }
        let relay = ChangeRelay(hub: fixture.hub)
        for publisher in 0..<Self.publishers {
            Thread.detachNewThread {
                for number in 0..<Self.perSource {
                    guard let change = try? Self.change(publisher, number) else { return }
                    relay.relay([change], of: RelayFixture.application)
                }
            }
        }
        let first = try sequences.next("a reader", within: .seconds(120))
        #expect(first.count == Self.total)
        for _ in 1..<(readers.count + senders.count) {
            #expect(try sequences.next("a reader", within: .seconds(120)) == first)
        }
        try checkSources(of: first)
    }

    /// Each source's own messages are all there, in the order in which it sent them.
    private func checkSources(of sequence: [String]) throws {
        for source in 0..<Self.senders {
            let own = sequence.filter { $0.hasPrefix("S\(source)N") }
            #expect(own == (0..<Self.perSource).map { "S\(source)N\($0)" })
        }
        for source in 0..<Self.publishers {
            let own = sequence.filter { $0.contains("\"from\":\"P\(source)\"") }
            let expected = (0..<Self.perSource).map {
                #"{"objectId":"P\#(source)N\#($0)","createDate":"1970-01-01T00:00:00.000Z","#
                    + #""from":"P\#(source)"}"#
            }
            #expect(own == expected)
        }
    }
}

/// A client that two threads share: one only sends, the other only receives.
///
/// Sending touches the socket and the mask's generator, receiving the socket and the buffer.
private final class Handed: @unchecked Sendable {
    private let socket: TestWebSocketClient

    init(_ socket: TestWebSocketClient) {
        self.socket = socket
    }

    func send(_ text: String) {
        try? socket.send(text: text)
    }

    /// Returns what came, `count` texts unless something else came first.
    func sequence(of count: Int) -> [String] {
        var sequence: [String] = []
        while sequence.count < count, case .text(let text)? = try? socket.receive() {
            sequence.append(text)
        }
        return sequence
    }
}
