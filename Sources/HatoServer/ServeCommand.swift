import CLinux
import EventLoops
import Glibc
import ObjectModel
import Telemetry

/// `hato serve`: starts the server, prints how to reach it, and waits for SIGTERM or SIGINT.
enum ServeCommand {
    static func run(_ configuration: EffectiveConfiguration) -> CommandResult {
        // Before any thread is made: all of them must inherit the mask.
        TerminationSignals.block()
        hato_return_large_blocks()
        // A file at the process's size limit must be an error of the write, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        do {
            let server = try Server(configuration, log: log(configuration["log"].value))
            StandardOutput.write(
                Banner(
                    address: server.address,
                    publicURL: configuration["public-url"].value,
                    folder: configuration["data"].value,
                    applications: server.applications.applications(),
                    newApplication: server.newApplication,
                    isForTerminal: isatty(STDOUT_FILENO) == 1
                ).text,
                to: STDOUT_FILENO
            )
            _ = TerminationSignals.wait()
            server.stop()
            return .success("")
        } catch {
            return .failure(error.message)
        }
    }

    private static func log(_ form: String) -> Log {
        guard form != "off" else { return .silent }
        return Log(
            threshold: .info,
            format: form == "json" ? .json : .text,
            wallMilliseconds: { StandardError.wallMilliseconds() },
            sink: { StandardError.write($0) }
        )
    }
}
