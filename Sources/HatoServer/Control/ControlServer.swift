import CLinux
import EventLoops
import Glibc

/// Serves the command socket of a running server on a thread of its own.
final class ControlServer: Sendable {
    /// Carries out a command's words; what it tells meanwhile goes to who waits.
    typealias Run =
        @Sendable (_ words: [String], _ tell: @escaping @Sendable (String) -> Void) -> CommandResult

    private let folderDescriptor: Int32
    private let listener: Int32
    private let stopSignal: Int32
    private let thread: SystemThread

    /// Opens the socket and begins to serve.
    ///
    /// Errors: a sentence that names what failed.
    init(
        folder: String,
        run: @escaping Run
    ) throws(ConfigurationError) {
        let folderDescriptor = hato_open_directory(folder)
        let listener = ControlSocket.make()
        let stopSignal = eventfd(0, Int32(EFD_CLOEXEC))
        guard folderDescriptor >= 0, listener >= 0, stopSignal >= 0 else {
            throw ConfigurationError(
                "could not open the command socket in \(folder): \(errnoText())"
            )
        }
        // The data folder's lock is held: a socket file there is a killed server's.
        unlinkat(folderDescriptor, ControlSocket.fileName, 0)
        let bound = ControlSocket.withAddress(folderDescriptor: folderDescriptor) {
            bind(listener, $0, $1)
        }
        guard bound == 0, fchmodat(folderDescriptor, ControlSocket.fileName, 0o600, 0) == 0,
            listen(listener, 8) == 0
        else {
            throw ConfigurationError(
                "could not open the command socket in \(folder): \(errnoText())"
            )
        }
        self.folderDescriptor = folderDescriptor
        self.listener = listener
        self.stopSignal = stopSignal
        do {
            self.thread = try SystemThread(name: "control") {
                ControlServer.serve(listener: listener, stopSignal: stopSignal, run: run)
            }
        } catch {
            throw ConfigurationError(error.description)
        }
    }

    /// Takes no more commands; one that has begun goes on until it is done.
    func beginStopping() {
        eventfd_write(stopSignal, 1)
    }

    /// Waits for the command that has begun, and removes the socket.
    ///
    /// Best when what a command could wait for has ended.
    func stop() {
        beginStopping()
        thread.join()
        unlinkat(folderDescriptor, ControlSocket.fileName, 0)
        for descriptor in [listener, stopSignal, folderDescriptor] { close(descriptor) }
    }

    private static func serve(
        listener: Int32,
        stopSignal: Int32,
        run: Run
    ) {
        var isPaused = false
        while true {
            var waits = [
                pollfd(fd: stopSignal, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isPaused ? -1 : listener, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&waits, 2, isPaused ? pauseMilliseconds : -1)
            isPaused = false
            guard ready >= 0 || errno == EINTR else { return }
            if waits[0].revents != 0 { return }
            guard waits[1].revents != 0 else { continue }
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                // Without descriptors the listener stays readable: asking at once would spin.
                isPaused = true
                continue
            }
            answer(client, stopSignal: stopSignal, run: run)
            close(client)
        }
    }

    private static let pauseMilliseconds: Int32 = 250

    private static func answer(
        _ client: Int32,
        stopSignal: Int32,
        run: Run
    ) {
        ControlSocket.setSendTimeout(client, seconds: 5)
        var rest: [UInt8] = []
        let line = ControlSocket.readLine(
            client,
            before: .now + ControlSocket.requestTimeout,
            stopSignal: stopSignal,
            rest: &rest
        )
        // Who has stopped waiting has been told that it failed: then it must not be done after all.
        guard let line, !ControlSocket.isAbandoned(client) else { return }
        let words = ControlMessage.decodeWords(line)
        let tell = { @Sendable (text: String) in
            _ = ControlSocket.writeAll(client, ControlMessage.encode(progress: text))
        }
        let result =
            words.map { run($0, tell) } ?? .failure("the command did not arrive whole")
        _ = ControlSocket.writeAll(client, ControlMessage.encode(result))
    }
}

func errnoText() -> String {
    String(cString: strerror(errno))
}
