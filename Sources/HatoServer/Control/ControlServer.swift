import CLinux
import EventLoops
import Glibc

/// Serves the command socket of a running server on a thread of its own.
final class ControlServer: Sendable {
    private let folderDescriptor: Int32
    private let listener: Int32
    private let stopSignal: Int32
    private let thread: SystemThread

    /// Opens the socket and begins to serve.
    ///
    /// Errors: a sentence that names what failed.
    init(
        folder: String,
        run: @escaping @Sendable ([String]) -> CommandResult
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

    /// Ends the thread after the command that it is at, and removes the socket.
    func stop() {
        eventfd_write(stopSignal, 1)
        thread.join()
        unlinkat(folderDescriptor, ControlSocket.fileName, 0)
        for descriptor in [listener, stopSignal, folderDescriptor] { close(descriptor) }
    }

    private static func serve(
        listener: Int32,
        stopSignal: Int32,
        run: ([String]) -> CommandResult
    ) {
        while true {
            var waits = [
                pollfd(fd: stopSignal, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waits, 2, -1) >= 0 else {
                if errno == EINTR { continue }
                return
            }
            if waits[0].revents != 0 { return }
            let client = accept(listener, nil, nil)
            guard client >= 0 else { continue }
            ControlSocket.setTimeouts(client, seconds: ControlSocket.timeoutSeconds)
            if let line = ControlSocket.readLine(client) {
                let result =
                    ControlMessage.decodeWords(line).map(run)
                    ?? .failure("the command did not arrive whole")
                _ = ControlSocket.writeAll(client, ControlMessage.encode(result))
            }
            close(client)
        }
    }
}

func errnoText() -> String {
    String(cString: strerror(errno))
}
