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
    /// Cancelled when the client leaves: a reset or both directions closed (rulings 26).
    var taskInFlight: Task<Void, Never>?
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

    /// Why no further request is served now.
    private enum Pause {
        /// All bytes are taken; the parser stands there.
        case between, inHead, inBody
        /// An async handler works on the last request.
        case inFlight
        case heldBack
        case upgraded
        case closing
    }

    private func consume(_ bytes: Span<UInt8>, on connection: Connection) {
        let reader = reader ?? shared.common
        var offset = 0
        precondition(!reader.isServing, "a parser serves one connection at a time")
        reader.isServing = true
        flags.insert(.consuming)
        let pause = serve(bytes, from: &offset, by: &reader.parser, connection)
        flags.remove(.consuming)
        reader.isServing = false
        switch pause {
        case .between, .inHead, .inBody:
            settle(pause, connection)
        case .inFlight:
            keepReader().leftovers.append(copying: bytes.extracting(offset..<bytes.count))
        case .heldBack:
            keepReader().leftovers.append(copying: bytes.extracting(offset..<bytes.count))
            holdBack(connection)
        case .upgraded:
            releaseReader()
            // What came with the handshake is the socket's.
            let rest = bytes.extracting(offset..<bytes.count)
            if !rest.isEmpty {
                connection.handler?.received(rest, on: connection)
            }
        case .closing:
            releaseReader()
        }
    }

    /// Parses and answers until the bytes end or something must be waited for.
    ///
    /// The parser is in use all along, so that nothing in here may serve another connection.
    private func serve(
        _ bytes: Span<UInt8>,
        from offset: inout Int,
        by parser: inout RequestParser,
        _ connection: Connection
    ) -> Pause {
        var pause = Pause.between
        var isHeadPaused = false
        while offset < bytes.count || isHeadPaused {
            isHeadPaused = false
            switch parser.parse(bytes, from: &offset) {
            case .needsMore:
                pause = parser.isIdle ? .between : parser.isInBody ? .inBody : .inHead
            case .head:
                setBodyLimit(&parser)
                isHeadPaused = true
                pause = .inBody
            case .expectsContinue:
                let answer = shared.interimAnswer
                connection.send(copying: answer.span)
                pause = .inBody
            case .request:
                answer(parser.request, on: connection)
                if flags.contains(.upgraded) { return .upgraded }
                guard connection.isOpen else { return .closing }
                if flags.contains(.inFlight) { return .inFlight }
                parser.reset()
                phase = .idle
                pause = .between
                if isOverMark(connection) { return .heldBack }
            case .failed(let failure):
                refuse(status: failure.status, reason: failure.reason.description, connection)
                return .closing
            }
        }
        return pause
    }

    /// Whether so much waits to be written that no further request may be begun.
    private func isOverMark(_ connection: Connection) -> Bool {
        connection.queuedBytes > shared.configuration.pipelineMarkBytes
    }

    /// Serves nothing more until all that waits is written; a peer that takes nothing is dropped by
    /// the stalled-write limit.
    private func holdBack(_ connection: Connection) {
        flags.insert(.heldBack)
        connection.clearDeadline()
        connection.pauseReading()
        connection.notifyWhenDrained()
    }

    /// A route's own body limit is known before its body is read.
    private func setBodyLimit(_ parser: inout RequestParser) {
        guard let match = shared.match(parser.request),
            let route = shared.route(for: parser.request, at: match.node),
            let limit = route.bodyLimitBytes
        else { return }
        parser.bodyLimitBytes = limit
    }

    /// All bytes are taken: which deadline counts now.
    private func settle(_ pause: Pause, _ connection: Connection) {
        if connection.isPeerFinished {
            // These were leftovers; the peer can't complete what is not whole.
            releaseReader()
            connection.close()
            return
        }
        switch pause {
        case .inBody:
            keepReader()
            guard phase != .body else { return }
            phase = .body
            connection.setDeadline(after: shared.bodySpan)
        case .inHead:
            keepReader()
            guard phase != .head else { return }
            // The first request's head is due by the deadline that was set at the accept.
            let isFirst = phase == .fresh
            phase = .head
            if !isFirst {
                connection.setDeadline(after: shared.headSpan)
            }
        default:
            if reader != nil {
                releaseReader()
            }
            phase = .idle
            if flags.contains(.stopping) {
                connection.close()
            } else {
                connection.setDeadline(after: shared.idleSpan)
            }
        }
    }

    /// Makes the parser in use this session's own.
    @discardableResult
    private func keepReader() -> HTTPLoop.Reader {
        if let reader { return reader }
        let own = shared.keepCommon()
        reader = own
        return own
    }

    /// Leaves the parser in use before a message, and an own one to others.
    private func releaseReader() {
        guard let reader else {
            shared.common.parser.reset()
            return
        }
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
        guard !isOverMark(connection) else {
            holdBack(connection)
            return
        }
        var bytes: [UInt8] = []
        swap(&bytes, &reader.leftovers)
        if bytes.isEmpty {
            settle(.between, connection)
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
        taskInFlight?.cancel()
        taskInFlight = nil
        if reader != nil {
            releaseReader()
        }
    }

    func overflowed(on connection: Connection) {
        // An answer past what an outbox without limits can count: nothing can be made of the rest.
        connection.abort()
    }
}
