import EventLoops
import HTTPServer
import HatoWire
import Realtime

/// A member's connection: what it sends goes, unchanged, to the others of its channel.
///
/// Nothing is wrapped or stored. What the server made goes to it only if it has presence.
final class RelaySocket: WebSocketHandler {
    private let hub: ChannelHub
    private let admission: RelayAdmission
    private let meter: MessageMeter
    private var membership: Membership?

    init(hub: ChannelHub, admission: RelayAdmission, meter: MessageMeter) {
        self.hub = hub
        self.admission = admission
        self.meter = meter
    }

    func opened(_ socket: WebSocket) {
        do throws(ChannelRefusal) {
            membership = try hub.join(
                admission.channel,
                socket.connection,
                as: admission.member,
                within: admission.quota,
                compression: socket.compression
            )
        } catch {
            RefusedSocket.refuse(socket, RelayRefusal(error))
        }
    }

    /// What the meter refuses costs no unpacking.
    func admitsMessage(on socket: WebSocket) -> Bool {
        guard meter.take(at: socket.loop.now.monotonicNanoseconds) else {
            RefusedSocket.refuse(socket, .tooManyMessages)
            return false
        }
        return true
    }

    func received(_ message: [UInt8], isText: Bool, on socket: WebSocket) {
        guard let membership else { return }
        guard !ReservedEvent.isNamed(by: message) else {
            RefusedSocket.refuse(socket, .reservedEvent)
            return
        }
        let publication = hub.publish(
            isText ? MessageFrame.text(message) : MessageFrame.binary(message),
            from: membership,
            includingSender: admission.notifiesSelf
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
