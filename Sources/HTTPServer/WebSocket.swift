import Compression
package import EventLoops
package import HatoWire

/// A WebSocket (RFC 6455), the server's end.
///
/// Loop only, but for its constants.
package final class WebSocket {
    enum State: UInt8 {
        case open
        /// Our close frame is sent; the peer's is awaited.
        case closing
        /// Nothing more is said; the connection may still linger.
        case finished
    }

    /// The connection below: other rooms queue frames on it directly.
    package let connection: Connection
    let shared: HTTPLoop
    let handler: any WebSocketHandler
    /// What was agreed on in the handshake; other rooms compress by it what they queue.
    package let compression: PerMessageDeflate?
    let messageLimitBytes: Int
    let pausesReadingAtBytes: Int
    var state = State.open
    /// Pings in a row after which nothing has come.
    var unansweredPings: UInt8 = 0
    var isClosedTold = false
    /// On loan while a frame or message is under way.
    var reader: HTTPLoop.FrameReader?

    init(
        connection: Connection,
        shared: HTTPLoop,
        options: WebSocketOptions,
        compression: PerMessageDeflate?,
        handler: any WebSocketHandler
    ) {
        self.connection = connection
        self.shared = shared
        self.handler = handler
        self.compression = compression
        messageLimitBytes = options.messageLimitBytes
        pausesReadingAtBytes = options.pausesReadingAtBytes ?? .max
        connection.outboxLimits = options.outbox
    }

    package var id: ConnectionID { connection.id }
    package var loop: EventLoop { connection.loop }
    package var peer: PeerAddress { connection.peer }
    /// Whether it is `wss`.
    package var isSecure: Bool { connection.isSecure }

    /// Whether messages can be sent.
    package var isOpen: Bool {
        state == .open && connection.isOpen
    }

    // MARK: Sending

    /// Queues a whole encoded frame; returns false when the socket is closing, or is closed now
    /// because its outbox was full.
    @discardableResult
    package func send(_ frame: Frame) -> Bool {
        guard state == .open else { return false }
        return connection.send(frame)
    }

    /// Messages up to this size are gathered by copying, longer ones are queued as their own frame.
    private static let gatheredBytes = 4_096

    /// Sends one message; text must be UTF-8.
    @discardableResult
    package func send(_ message: [UInt8], isText: Bool) -> Bool {
        guard state == .open else { return false }
        let opcode = isText ? WebSocketOpcode.text : .binary
        if let compression,
            let packed = shared.deflater.pack(
                message.span,
                windowBits: compression.serverWindowBits
            )
        {
            return send(opcode, packed, isCompressed: true)
        }
        return send(opcode, message)
    }

    func send(
        _ opcode: WebSocketOpcode,
        _ payload: [UInt8],
        isCompressed: Bool = false
    ) -> Bool {
        var bytes = shared.takeScratch()
        defer { shared.giveBack(scratch: &bytes) }
        WebSocketFrame.appendHeader(
            opcode,
            payloadCount: payload.count,
            isCompressed: isCompressed,
            to: &bytes
        )
        guard payload.count <= Self.gatheredBytes else {
            return connection.send(Frame(bytes.span, payload.span))
        }
        return connection.send(copying: bytes.span, payload.span)
    }

    /// Returns a whole frame of one message, for many sockets.
    package static func frame(_ message: Span<UInt8>, isText: Bool) -> Frame {
        var head: [UInt8] = []
        WebSocketFrame.appendHeader(
            isText ? .text : .binary,
            payloadCount: message.count,
            to: &head
        )
        return Frame(head.span, message)
    }

    // MARK: Closing

    /// Begins the closing handshake: what is queued is still sent, then the close frame.
    ///
    /// A code that may not be sent (RFC 6455 7.4) is left out. The handler's `closed` follows when
    /// the peer has answered, or after the closing timeout.
    package func close(code: UInt16, reason: String = "") {
        guard state == .open, connection.isOpen else { return }
        state = .closing
        connection.outboxLimits = .unlimited
        _ = send(.close, WebSocketFrame.closePayload(code: code, reason: reason))
        // Channels hold the connection: none of their frames may follow the close frame.
        connection.finishSending()
        connection.setDeadline(after: shared.closeSpan)
    }

    /// Says the last word and ends the connection once it is written.
    func finish(code: UInt16?, reason: String = "") {
        guard state != .finished else { return }
        if state == .open {
            connection.outboxLimits = .unlimited
            let payload = code.map { WebSocketFrame.closePayload(code: $0, reason: reason) } ?? []
            _ = send(.close, payload)
        }
        state = .finished
        connection.close()
    }
}
