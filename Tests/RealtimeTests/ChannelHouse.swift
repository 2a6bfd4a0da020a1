import EventLoops
import HatoTesting
import HatoWire
import Realtime

/// Loops with a hub over them and a protocol of single bytes, so that the hub is tried on real
/// connections without a WebSocket between.
///
/// A client's first byte names its channel; it is answered by `+`, or by the refusal's `c` (too
/// many channels) or `m` (too many members). Then `!` leaves (answered by `-`), and any other byte
/// is published to the others as that byte.
final class ChannelHouse: Sendable {
    let group: EventLoopGroup
    let hub: ChannelHub
    let port: Int
    let scope: Text = "scope"
    /// Those who sent `#` instead of a channel's name.
    let connections: Mailbox<Connection>

    init(
        loops: Int = 2,
        limits: ChannelLimits = ChannelLimits(),
        outbox: OutboxLimits = .standard
    ) throws {
        var loopLimits = LoopLimits()
        loopLimits.outbox = outbox
        let group = try EventLoopGroup(count: loops, limits: loopLimits)
        let hub = ChannelHub(loops: group.loops, limits: limits)
        let scope = scope
        let connections = try Mailbox<Connection>()
        let port = try group.listen(ListenAddress(host: "127.0.0.1", port: 0)) { _ in
            Guest(hub: hub, scope: scope, connections: connections)
        }
        try group.start()
        self.group = group
        self.hub = hub
        self.connections = connections
        self.port = Int(port)
    }

    deinit {
        group.drain(within: .zero)
        group.stop()
    }

    func key(_ name: Character) -> ChannelKey {
        ChannelKey(scope: scope, name: Text(String(name)))
    }

    /// Connects and joins; returns the client and the answer.
    func join(
        _ channel: Character,
        receiveBufferBytes: Int? = nil
    ) throws -> (TestHTTPClient, Character) {
        let client = try TestHTTPClient(port: port, receiveBufferBytes: receiveBufferBytes)
        try client.send(String(channel))
        let answer = try client.bytes(1)[0]
        return (client, Character(UnicodeScalar(answer)))
    }

    /// Connects until the kernel has given at least one member to every loop.
    func joinOnAllLoops(_ channel: Character) throws -> [TestHTTPClient] {
        var clients: [TestHTTPClient] = []
        var loops: Set<Int> = []
        while loops.count < group.loops.count {
            let (client, _) = try join(channel)
            try client.send("?")
            loops.insert(Int(try client.bytes(1)[0]) - 48)
            clients.append(client)
        }
        return clients
    }

    /// Returns when everything that was queued on every loop before has run.
    func settle() throws {
        for loop in group.loops { try settle(loop) }
    }

    func settle(_ loop: EventLoop) throws {
        let done = try Mailbox<Int>()
        loop.execute { done.put(loop.index) }
        _ = try done.next("a loop to come round")
    }
}

/// Bytes of these tests' own protocol, published as they are.
extension ChannelHub {
    @discardableResult
    func publish(_ frame: Frame, to key: ChannelKey) -> Publication {
        publish(MessageFrame(whole: frame), to: key)
    }
}

private final class Guest: ConnectionHandler {
    private let hub: ChannelHub
    private let scope: Text
    private let connections: Mailbox<Connection>
    private var membership: Membership?

    init(hub: ChannelHub, scope: Text, connections: Mailbox<Connection>) {
        self.hub = hub
        self.scope = scope
        self.connections = connections
    }

    func received(_ bytes: Span<UInt8>, on connection: Connection) {
        for index in bytes.indices { received(bytes[index], on: connection) }
    }

    private func received(_ byte: UInt8, on connection: Connection) {
        guard let membership else {
            if byte == UInt8(ascii: "#") { return connections.put(connection) }
            connection.send(Frame([join(Character(UnicodeScalar(byte)), connection)]))
            return
        }
        switch byte {
        case UInt8(ascii: "!"):
            hub.leave(membership)
            hub.leave(membership)
            self.membership = nil
            connection.send(Frame([UInt8(ascii: "-")]))
        case UInt8(ascii: "?"):
            connection.send(Frame([48 + UInt8(connection.loop.index)]))
        default:
            let message = MessageFrame(whole: Frame([byte]))
            hub.publish(message, from: membership, includingSender: false)
        }
    }

    private func join(_ name: Character, _ connection: Connection) -> UInt8 {
        do throws(ChannelRefusal) {
            let key = ChannelKey(scope: scope, name: Text(String(name)))
            membership = try hub.join(key, connection)
            return UInt8(ascii: "+")
        } catch {
            switch error {
            case .tooManyChannels: return UInt8(ascii: "c")
            case .tooManyMembers, .tooManyPresent, .tooManyConnections: return UInt8(ascii: "m")
            }
        }
    }

    func closed(on connection: Connection) {
        if let membership { hub.leave(membership) }
    }
}

/// Keeps a loop busy until it is opened.
struct Gate {
    private let opened: Mailbox<Bool>

    /// Returns when the loop is held.
    init(_ loop: EventLoop) throws {
        let opened = try Mailbox<Bool>()
        let held = try Mailbox<Bool>()
        loop.execute {
            held.put(true)
            _ = try? opened.next("the gate to open")
        }
        _ = try held.next("the loop to be held")
        self.opened = opened
    }

    func open() { opened.put(true) }
}
