import EventLoops
import Glibc
import HTTPServer
import HatoWire
import Telemetry
import TransportSecurity

/// `echo-server --listen HOST:PORT`: the server's HTTP and WebSocket stack without a backend, for
/// conformance tools.
///
/// GET `/` answers 200, POST `/echo` returns the body, WebSocket `/echo` returns every message up
/// to 32 MB, compressed (RFC 7692) for clients that offer it; by TLS too where it has a certificate. SIGTERM and SIGINT stop it gracefully.
@main
enum EchoServer {
    static func main() {
        exit(run(arguments: Array(CommandLine.arguments.dropFirst())))
    }

    private nonisolated static func run(arguments: [String]) -> Int32 {
        guard let options = EchoOptions(arguments) else {
            StandardError.write(Array("usage: \(EchoOptions.usage)\n".utf8))
            return 2
        }
        TerminationSignals.block()
        do {
            let logWriter = try LogWriter(
                format: .text,
                wallMilliseconds: StandardError.wallMilliseconds,
                sink: StandardError.write
            )
            defer { logWriter.close(within: .milliseconds(200)) }
            let log = Log(
                threshold: .info,
                format: .text,
                wallMilliseconds: StandardError.wallMilliseconds,
                sink: logWriter.write
            )
            let group = try EventLoopGroup(count: options.loopCount, limits: LoopLimits(), log: log)
            let server = HTTPServer(group: group, router: router())
            let port = try server.listen(options.address)
            let bound = ListenAddress(host: options.address.host, port: port)
            print("listening on \(bound)")
            if let secure = options.secure {
                let files = try TLSCertificateFiles(
                    certificate: secure.certificate,
                    key: secure.key,
                    log: log
                )
                let port = try server.listen(secure.address, transform: files.transform)
                print("listening by tls on \(ListenAddress(host: secure.address.host, port: port))")
            }
            try group.start()
            fflush(nil)
            _ = TerminationSignals.wait()
            TerminationSignals.endProcessAtNext()
            server.stop(within: .seconds(2))
            group.stop()
            return 0
        } catch {
            StandardError.write(Array("echo-server: \(error)\n".utf8))
            return 1
        }
    }

    private nonisolated static func router() -> Router {
        var router = Router()
        let greeting = Response.text("This is an echo server.\n")
        router.on(.get, "/", .sync { _ in greeting })
        router.on(
            .post,
            "/echo",
            .sync { context in
                Response(status: 200, contentType: .bytes, body: context.request.body)
            }
        )
        router.on(
            .get,
            "/echo",
            .webSocket { _ in
                .accept(
                    WebSocketOptions(
                        messageLimitBytes: 33_554_432,
                        outbox: OutboxLimits(bytes: 67_108_864, frames: 1_000),
                        pausesReadingAtBytes: 1_048_576,
                        allowsCompression: true
                    ),
                    WebSocketEcho()
                )
            }
        )
        return router
    }
}
