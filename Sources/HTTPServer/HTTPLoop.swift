import Compression
import EventLoops
import HatoWire

/// What the sessions of one loop share: the router, converted deadlines, scratch memory, and the
/// parsers that connections borrow while a message is under way.
final class HTTPLoop {
    /// A parser on loan; an idle connection has none.
    final class Reader {
        /// Unchecked: one access is held while requests are served, which `isServing` guards for less.
        @exclusivity(unchecked) var parser: RequestParser
        var isServing = false
        /// Bytes behind a request that is still being answered.
        var leftovers: [UInt8] = []

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
    /// On loan while something is put together.
    ///
    /// Unchecked: only swapped, and nothing is called meanwhile.
    @exclusivity(unchecked) private var scratch: [UInt8] = []
    /// The parser of whoever is served right now.
    ///
    /// It stands before a message between two calls.
    let common: Reader
    private var readers: [Reader] = []
    var frameReaders: [FrameReader] = []
    /// One for all sockets: no message refers to the one before it.
    var inflater: Inflater?
    let deflater = MessageDeflater()
    /// Made with the first answer that is packed here.
    var gzipEncoder: GzipEncoder?
    /// The head of the last answer.
    ///
    /// Unchecked: used by `send` alone, and an overflow that comes from within it only aborts.
    @exclusivity(unchecked) var renderedHead = RenderedHead()
    /// `100 Continue`, as a whole.
    let interimAnswer: [UInt8]

    init(loop: EventLoop, router: Router, configuration: HTTPConfiguration) {
        self.loop = loop
        self.router = router
        self.configuration = configuration
        headSpan = loop.ticks(configuration.headDeadline)
        bodySpan = loop.ticks(configuration.bodyDeadline)
        idleSpan = loop.ticks(configuration.idleDeadline)
        pingSpan = loop.ticks(configuration.pingInterval)
        closeSpan = loop.ticks(configuration.closeTimeout)
        common = Reader(
            RequestParser(
                limits: configuration.limits,
                pausesBeforeBody: router.hasBodyLimits
            )
        )
        var interimAnswer: [UInt8] = []
        ResponseHead.appendContinue(to: &interimAnswer)
        self.interimAnswer = interimAnswer
        scratch.reserveCapacity(4_096)
    }

    // MARK: Routes

    // Not inlined: from within, the router is borrowed; a caller would copy it, array by array.

    /// Finds the node of a request's path; nil when no route ends there.
    @inline(never)
    func match(_ request: borrowing HTTPRequest) -> Router.Match? {
        router.match(request.head.span, request.path)
    }

    /// The route of a request at its path's node.
    ///
    /// An upgrade to a path with a WebSocket is a handshake, good or bad, whatever the method.
    @inline(never)
    func route(for request: borrowing HTTPRequest, at node: Int) -> Router.Route? {
        if request.wantsUpgrade, let route = router.webSocketRoute(at: node) {
            return route
        }
        return router.route(request.method, at: node)
    }

    // MARK: Parsers

    private static let spareReaderLimit = 64

    /// Returns a parser that goes on where the common one stands, and leaves that one fresh.
    func keepCommon() -> Reader {
        let own =
            readers.popLast()
            ?? Reader(
                RequestParser(
                    limits: configuration.limits,
                    pausesBeforeBody: common.parser.pausesBeforeBody
                )
            )
        swap(&own.parser, &common.parser)
        return own
    }

    /// Takes a parser back that stands before a message.
    func giveBack(_ reader: Reader) {
        guard readers.count < Self.spareReaderLimit else { return }
        readers.append(reader)
    }

    /// Lends an empty array with capacity; a second borrower meanwhile gets a new one.
    func takeScratch() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &scratch)
        return taken
    }

    func giveBack(scratch bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
        swap(&bytes, &scratch)
    }
}
