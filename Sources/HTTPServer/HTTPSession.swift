import EventLoops
import HatoWire

/// HTTP on one connection: parses requests, has them answered in order, keeps the deadlines.
///
/// While an async handler works, or while too much waits to be written, nothing is parsed: bytes
/// that come meanwhile are kept (at most two reads) and the socket is not read further.
final class HTTPSession: ConnectionHandler {
    enum Phase: UInt8 {
        /// Nothing has come on this connection yet: the head's deadline runs from the accept.
        case fresh
        case idle, head, body
    }

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// An async handler works on a request.
        static let inFlight = Flags(rawValue: 1)
        /// Too much waits to be written.
        static let heldBack = Flags(rawValue: 2)
        /// `consume` is on the stack: an answer that comes now is followed by its loop.
        static let consuming = Flags(rawValue: 4)
        static let stopping = Flags(rawValue: 8)
        /// The connection is a WebSocket's now.
        static let upgraded = Flags(rawValue: 16)
    }

    let shared: HTTPLoop
    /// Set while a message is under way, in flight, or held back.
    private var reader: HTTPLoop.Reader?
    private var phase = Phase.fresh
    var flags: Flags = []

    init(shared: HTTPLoop, connection: Connection) {
        self.shared = shared
        // A session bounds its output by not parsing.
        connection.outboxLimits = .unlimited
        connection.setDeadline(after: shared.headSpan)
    }

    // MARK: Bytes

    func received(_ bytes: Span<UInt8>, on connection: Connection) {
        if let reader, !flags.isDisjoint(with: [.inFlight, .heldBack]) {
            reader.leftovers.append(copying: bytes)
            connection.pauseReading()
        } else {
            consume(bytes, on: connection)
        }
    }

    private func consume(_ bytes: Span<UInt8>, on connection: Connection) {
        flags.insert(.consuming)
        defer { flags.remove(.consuming) }
        let reader = self.reader ?? shared.takeReader()
        self.reader = reader
        var offset = 0
        var isPaused = false
        var isBetweenMessages = false
        while offset < bytes.count || isPaused {
            isPaused = false
            isBetweenMessages = false
            switch reader.parser.parse(bytes, from: &offset) {
            case .needsMore:
                break
            case .head:
                setBodyLimit(reader)
                isPaused = true
            case .expectsContinue:
                var bytes = shared.takeScratch()
                ResponseHead.appendContinue(to: &bytes)
                connection.send(copying: bytes.span)
                shared.giveBack(scratch: &bytes)
            case .request:
                answer(reader, on: connection)
                guard goesOn(after: bytes, offset, reader, on: connection) else { return }
                isBetweenMessages = true
            case .failed(let failure):
                refuse(status: failure.status, reason: failure.reason.description, connection)
                return
            }
        }
        settle(reader, isIdle: isBetweenMessages || reader.parser.isIdle, connection)
    }

    /// After a request was handed on: whether the next one may be parsed now.
    private func goesOn(
        after bytes: Span<UInt8>,
        _ offset: Int,
        _ reader: HTTPLoop.Reader,
        on connection: Connection
    ) -> Bool {
        let rest = bytes.extracting(offset..<bytes.count)
        if flags.contains(.upgraded) {
            // What came with the handshake is the socket's.
            releaseReader()
            if !rest.isEmpty {
                connection.handler?.received(rest, on: connection)
            }
            return false
        }
        guard connection.isOpen else {
            releaseReader()
            return false
        }
        if flags.contains(.inFlight) {
            reader.leftovers.append(copying: rest)
            return false
        }
        reader.parser.reset()
        phase = .idle
        if connection.queuedBytes > shared.configuration.pipelineMarkBytes {
            reader.leftovers.append(copying: rest)
            flags.insert(.heldBack)
            connection.clearDeadline()
            connection.pauseReading()
            connection.notifyWhenDrained()
            return false
        }
        return true
    }

    /// A route's own body limit is known before its body is read.
    private func setBodyLimit(_ reader: HTTPLoop.Reader) {
        let request = reader.parser.request
        guard let match = shared.router.match(request.head.span, request.path),
            let route = shared.router.route(request.method, at: match.node),
            let limit = route.bodyLimitBytes
        else { return }
        reader.parser.bodyLimitBytes = limit
    }

    /// All bytes are taken: which deadline counts now.
    private func settle(_ reader: HTTPLoop.Reader, isIdle: Bool, _ connection: Connection) {
        if connection.isPeerFinished {
            // These were leftovers; the peer can't complete what is not whole.
            connection.close()
            return
        }
        if isIdle {
            // Not reset: it stands before a message already.
            self.reader = nil
            shared.giveBack(reader)
            phase = .idle
            if flags.contains(.stopping) {
                connection.close()
            } else {
                connection.setDeadline(after: shared.idleSpan)
            }
        } else if reader.parser.isInBody {
            guard phase != .body else { return }
            phase = .body
            connection.setDeadline(after: shared.bodySpan)
        } else if phase != .head {
            // The first request's head is due by the deadline that was set at the accept.
            let isFirst = phase == .fresh
            phase = .head
            if !isFirst {
                connection.setDeadline(after: shared.headSpan)
            }
        }
    }

    private func releaseReader() {
        guard let reader else { return }
        self.reader = nil
        reader.parser.reset()
        reader.leftovers = []
        shared.giveBack(reader)
    }

    // MARK: Going on after an answer that came later

    /// The async handler's answer was written: the next request's turn.
    func proceed(on connection: Connection) {
        guard connection.isOpen, !flags.contains(.upgraded), let reader else { return }
        reader.parser.reset()
        phase = .idle
        var bytes: [UInt8] = []
        swap(&bytes, &reader.leftovers)
        if bytes.isEmpty {
            settle(reader, isIdle: true, connection)
        } else {
            consume(bytes.span, on: connection)
        }
        if connection.isOpen, flags.isDisjoint(with: [.inFlight, .heldBack]) {
            connection.resumeReading()
        }
    }

    func drained(on connection: Connection) {
        guard flags.contains(.heldBack) else { return }
        flags.remove(.heldBack)
        proceed(on: connection)
    }

    // MARK: The end

    func peerFinished(on connection: Connection) {
        // What is in flight or held back is still answered; `settle` closes after it.
        guard flags.isDisjoint(with: [.inFlight, .heldBack]) else { return }
        connection.close()
    }

    func deadlineReached(on connection: Connection) {
        guard !flags.contains(.inFlight) else { return }
        if phase == .head || phase == .body {
            refuse(status: 408, reason: "The request took too long.", connection)
        } else {
            connection.close()
        }
    }

    func stopping(on connection: Connection) {
        flags.insert(.stopping)
        guard flags.isDisjoint(with: [.inFlight, .heldBack]), phase == .fresh || phase == .idle
        else { return }
        connection.setDeadline(after: shared.configuration.stopGrace)
    }

    func closed(on connection: Connection) {
        releaseReader()
    }

    func overflowed(on connection: Connection) {
        preconditionFailure("an HTTP session's outbox has no limits")
    }
}
