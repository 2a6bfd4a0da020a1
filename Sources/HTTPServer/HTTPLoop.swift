import EventLoops
import HatoWire

/// What the sessions of one loop share: the router, converted deadlines, scratch memory, and the
/// parsers that connections borrow while a message is under way.
final class HTTPLoop {
    /// A parser on loan; an idle connection has none.
    final class Reader {
        var parser: RequestParser

        init(_ parser: RequestParser) {
            self.parser = parser
        }
    }

    let loop: EventLoop
    let router: Router
    let configuration: HTTPConfiguration
    let headSpan: TickSpan
    let bodySpan: TickSpan
    let idleSpan: TickSpan
    let pingSpan: TickSpan
    let closeSpan: TickSpan
    /// Where an answer's bytes are put together; empty between answers.
    var scratch: [UInt8] = []
    private var readers: [Reader] = []
    var frameReaders: [FrameReader] = []
    private var dateLine: [UInt8] = []
    private var dateSeconds = Int64.min
    private let pausesBeforeBody: Bool

    init(loop: EventLoop, router: Router, configuration: HTTPConfiguration) {
        self.loop = loop
        self.router = router
        self.configuration = configuration
        headSpan = loop.ticks(configuration.headDeadline)
        bodySpan = loop.ticks(configuration.bodyDeadline)
        idleSpan = loop.ticks(configuration.idleDeadline)
        pingSpan = loop.ticks(configuration.pingInterval)
        closeSpan = loop.ticks(configuration.closeTimeout)
        pausesBeforeBody = router.hasBodyLimits
        scratch.reserveCapacity(4_096)
    }

    private static let spareReaderLimit = 64

    func takeReader() -> Reader {
        readers.popLast()
            ?? Reader(
                RequestParser(
                    limits: configuration.limits,
                    pausesBeforeBody: pausesBeforeBody
                )
            )
    }

    func giveBack(_ reader: Reader) {
        guard readers.count < Self.spareReaderLimit else { return }
        reader.parser.reset()
        readers.append(reader)
    }

    /// Sends what is in `scratch`; returns false as `Connection.send` does.
    @discardableResult
    func sendScratch(on connection: Connection) -> Bool {
        // A value of its own: a refused send comes back here and writes a close frame.
        let bytes = scratch
        return connection.send(copying: bytes.span)
    }

    /// Appends the Date field, rendered once a second.
    func appendDate(to output: inout [UInt8]) {
        let seconds = loop.now.wallMilliseconds / 1_000
        if seconds != dateSeconds {
            dateSeconds = seconds
            dateLine.removeAll(keepingCapacity: true)
            ResponseHead.append(dateSecondsSinceEpoch: seconds, to: &dateLine)
        }
        output.append(contentsOf: dateLine)
    }
}
