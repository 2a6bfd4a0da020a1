import CLinux
import EventLoops
import Glibc
import ObjectModel
import Telemetry

/// `hato serve`: starts the server, prints how to reach it, and waits for SIGTERM or SIGINT.
enum ServeCommand {
    static func run(_ configuration: EffectiveConfiguration) -> CommandResult {
        // Before any thread is made: all of them must inherit the mask.
        TerminationSignals.block(hangups: configuration["tls-listen"].value != Listening.none)
        hato_return_large_blocks()
        // A file at the process's size limit must be an error of the write, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        do {
            let form = configuration["log"].value
            let format = form == "json" ? Log.Format.json : .text
            let writer = try LogWriter(
                format: format,
                wallMilliseconds: StandardError.wallMilliseconds,
                sink: StandardError.write
            )
            defer { writer.close(within: .milliseconds(200)) }
            let log = Log(
                threshold: .info,
                format: format,
                wallMilliseconds: StandardError.wallMilliseconds,
                sink: writer.write
            )
            let server = try Server(configuration, log: form == "off" ? .silent : log)
            StandardOutput.write(
                Banner(
                    address: server.address,
                    secureAddress: server.secureAddress,
                    publicURL: configuration["public-url"].value,
                    folder: configuration["data"].value,
                    applications: server.applications.applications(),
                    newApplication: server.newApplication,
                    isForTerminal: isatty(STDOUT_FILENO) == 1
                ).text,
                to: STDOUT_FILENO
            )
            waitForTermination(tending: server)
            TerminationSignals.endProcessAtNext()
            server.stop()
            return .success("")
        } catch let error as ConfigurationError {
            return .failure(error.message)
        } catch {
            return .failure("\(error)")
        }
    }

    /// How often the files of the certificate are looked at.
    private static let certificateLook = Duration.seconds(2)

    /// Meanwhile this thread has nothing to do but to look after the certificate.
    private static func waitForTermination(tending server: Server) {
        let span = server.usesCertificates ? certificateLook : nil
        while true {
            switch TerminationSignals.wait(atMost: span) {
            case .termination: return
            case .hangup: server.tendCertificates(isForced: true)
            case .none: server.tendCertificates()
            }
        }
    }
}
