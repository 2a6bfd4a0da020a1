import CLinux
import Glibc

/// The command line's side of the command socket.
enum ControlClient {
    /// Sends a command to the server that runs on `folder`.
    ///
    /// Returns nil when no server listens there; then the caller may take the folder's lock itself.
    static func send(
        _ words: [String],
        folder: String,
        answerTimeout: Duration
    ) -> CommandResult? {
        let folderDescriptor = hato_open_directory(folder)
        guard folderDescriptor >= 0 else { return nil }
        defer { close(folderDescriptor) }
        let socket = ControlSocket.make()
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        let connected = ControlSocket.withAddress(folderDescriptor: folderDescriptor) {
            connect(socket, $0, $1)
        }
        guard connected == 0 else { return nil }
        ControlSocket.setSendTimeout(socket, seconds: 5)
        guard ControlSocket.writeAll(socket, ControlMessage.encode(words: words)),
            let line = ControlSocket.readLine(
                socket,
                before: .now + answerTimeout,
                limitBytes: ControlMessage.answerLimitBytes
            ),
            let result = ControlMessage.decodeResult(line)
        else {
            return .failure(
                "the server on \(folder) took the command and gave no answer; see its log"
            )
        }
        return result
    }
}
