import EventLoops
import HTTPServer
import HatoTesting
import HatoWire
import Telemetry

@testable import TransportSecurity

/// An HTTP server by TLS for one test, with a certificate of its own.
final class TLSServer {
    let folder: TemporaryFolder
    let certificate: TestCertificate
    let files: TLSCertificateFiles
    let port: Int
    private let group: EventLoopGroup
    private let http: HTTPServer

    /// Serves with a certificate that is made for it.
    convenience init(
        kind: String = "ec",
        router: Router = .secured(),
        configuration: HTTPConfiguration = HTTPConfiguration(),
        limits: LoopLimits = LoopLimits(),
        log: Log = .silent
    ) throws {
        let folder = try TemporaryFolder()
        let certificate = try TestCertificate(in: folder, kind: kind)
        let files = try TLSCertificateFiles(
            certificate: certificate.certificate,
            key: certificate.key,
            log: log
        )
        try self.init(
            files: files,
            folder: folder,
            certificate: certificate,
            router: router,
            configuration: configuration,
            limits: limits
        )
    }

    init(
        files: TLSCertificateFiles,
        folder: TemporaryFolder,
        certificate: TestCertificate,
        router: Router = .secured(),
        configuration: HTTPConfiguration = HTTPConfiguration(),
        limits: LoopLimits = LoopLimits()
    ) throws {
        self.folder = folder
        self.certificate = certificate
        self.files = files
        var limits = limits
        limits.tick = .milliseconds(5)
        group = try EventLoopGroup(count: 1, limits: limits)
        http = HTTPServer(group: group, router: router, configuration: configuration)
        let address = ListenAddress(host: "127.0.0.1", port: 0)
        port = Int(try http.listen(address, transform: files.transform))
        try group.start()
    }

    deinit {
        stop()
    }

    private var isStopped = false

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        http.stop(within: .milliseconds(500))
        group.stop()
    }
}

extension Router {
    /// `GET /` says hello, `POST /echo` returns the body, `/big` has 8 MB, `/socket` echoes messages.
    static func secured() -> Router {
        var router = Router()
        router.on(.get, "/", .sync { context in .text(context.isSecure ? "secure" : "plain") })
        router.on(.post, "/echo", .sync { .json($0.request.body) })
        router.on(.get, "/big", .sync { _ in .json(bigBody) })
        router.on(.get, "/socket", .webSocket { _ in .accept(WebSocketOptions(), SocketEcho()) })
        return router
    }

    /// Not the same at any two places of a record.
    static let bigBody = (0..<8_388_608).map {
        UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11)
    }
}

/// Returns every message as it came.
private final class SocketEcho: WebSocketHandler {
    func opened(_ socket: WebSocket) {}

    func received(_ message: [UInt8], isText: Bool, on socket: WebSocket) {
        socket.send(message, isText: isText)
    }

    func closed(on socket: WebSocket) {}
}
