import EventLoops
import HTTPServer
import HatoWire
import Realtime

/// A member's connection: what it sends goes, unchanged, to the others of its channel.
///
/// Nothing is parsed, wrapped or stored, and nothing that the server made goes to it.
final class RelaySocket: WebSocketHandler {
    private let hub: ChannelHub
    private let key: ChannelKey
    private let notifiesSelf: Bool
    private var membership: Membership?

    init(hub: ChannelHub, key: ChannelKey, notifiesSelf: Bool) {
        self.hub = hub
        self.key = key
        self.notifiesSelf = notifiesSelf
    }

    func opened(_ socket: WebSocket) {
        do throws(ChannelRefusal) {
            membership = try hub.join(key, socket.connection, compression: socket.compression)
        } catch {
            RefusedSocket.refuse(socket, RelayRefusal(error))
        }
    }

    func received(_ message: [UInt8], isText: Bool, on socket: WebSocket) {
        guard let membership else { return }
        let publication = hub.publish(
            isText ? MessageFrame.text(message) : MessageFrame.binary(message),
            from: membership,
            includingSender: notifiesSelf
        )
        // The sender must not believe that it was heard.
        if publication == .refused { socket.close(code: 1013, reason: "") }
    }

    func closed(on socket: WebSocket) {
        guard let membership else { return }
        hub.leave(membership)
        self.membership = nil
    }
}

/// A connection that is told why it may not stay.
final class RefusedSocket: WebSocketHandler {
    private let refusal: RelayRefusal

    init(_ refusal: RelayRefusal) {
        self.refusal = refusal
    }

    static func refuse(_ socket: WebSocket, _ refusal: RelayRefusal) {
        socket.send(refusal.message, isText: true)
        socket.close(code: refusal.closeCode, reason: "")
    }

    func opened(_ socket: WebSocket) {
        RefusedSocket.refuse(socket, refusal)
    }

    func received(_ message: [UInt8], isText: Bool, on socket: WebSocket) {}

    func closed(on socket: WebSocket) {}
}
