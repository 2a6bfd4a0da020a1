package import EventLoops

import HatoWire

extension WebSocket: ConnectionHandler {
    func open(isStopping: Bool) {
        connection.setDeadline(after: shared.pingSpan)
        handler.opened(self)
        if isStopping {
            close(code: 1001)
        }
    }

    package func received(_ bytes: Span<UInt8>, on connection: Connection) {
        unansweredPings = 0
        let reader =
            reader
            ?? shared.takeFrameReader(
                messageLimitBytes: messageLimitBytes,
                allowsCompression: compression != nil
            )
        self.reader = reader
        var offset = 0
        while offset < bytes.count, state != .finished, connection.isOpen {
            take(reader.parser.parse(bytes, from: &offset), reader)
        }
        if reader.parser.isIdle || state == .finished {
            self.reader = nil
            shared.giveBack(reader, isReusable: state != .finished)
        }
        if connection.queuedBytes > pausesReadingAtBytes, state == .open {
            connection.pauseReading()
            connection.notifyWhenDrained()
        }
        if state == .finished {
            tellClosed()
        }
    }

    private func take(_ step: WebSocketParser.Step, _ reader: HTTPLoop.FrameReader) {
        switch step {
        case .needsMore, .pong:
            break
        case .message(let isText):
            let message = reader.parser.takePayload()
            if state == .open, handler.admitsMessage(on: self) {
                handler.received(message, isText: isText, on: self)
            }
        case .compressedMessage(let isText):
            let packed = reader.parser.takePayload()
            if state == .open, handler.admitsMessage(on: self) {
                receive(packed: packed, isText: isText)
            }
        case .ping:
            let payload = reader.parser.takePayload()
            if state == .open {
                _ = send(.pong, payload)
            }
        case .close(let code):
            finish(code: code)
        case .failed(let failure):
            finish(code: failure.closeCode)
        }
    }

    private func receive(packed: [UInt8], isText: Bool) {
        do throws(WebSocketFailure) {
            let message = try shared.message(
                packed,
                isText: isText,
                limitBytes: messageLimitBytes
            )
            handler.received(message, isText: isText, on: self)
        } catch {
            finish(code: error.closeCode)
        }
    }

    package func peerFinished(on connection: Connection) {
        // A FIN without a close frame: there is nothing to wait for.
        finish(code: 1001)
        tellClosed()
    }

    package func drained(on connection: Connection) {
        connection.resumeReading()
    }

    /// Pings in a row that may bring nothing back.
    private static let unansweredPingLimit = 2

    package func deadlineReached(on connection: Connection) {
        switch state {
        case .open:
            guard unansweredPings < Self.unansweredPingLimit else {
                connection.abort()
                return
            }
            unansweredPings += 1
            _ = send(.ping, [])
            connection.setDeadline(after: shared.pingSpan)
        case .closing:
            state = .finished
            connection.close()
            tellClosed()
        case .finished:
            break
        }
    }

    /// The outbox is full: what is not begun is dropped, so that the close frame has a place.
    package func overflowed(on connection: Connection) {
        guard state == .open else { return }
        connection.dropUnbegun()
        finish(code: 1013, reason: "too slow")
        // Not from here: the sender may be walking through its list of sockets.
        let socket = LoopBound(self, on: loop)
        loop.execute { socket.value.tellClosed() }
    }

    package func stopping(on connection: Connection) {
        close(code: 1001, reason: "server stops")
    }

    package func closed(on connection: Connection) {
        state = .finished
        if let reader {
            self.reader = nil
            shared.giveBack(reader, isReusable: false)
        }
        tellClosed()
    }

    private func tellClosed() {
        guard !isClosedTold else { return }
        isClosedTold = true
        handler.closed(on: self)
    }
}
