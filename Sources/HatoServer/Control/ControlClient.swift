import CLinux
import Glibc

/// The command line's side of the command socket.
enum ControlClient {
    /// Sends a command to the server that runs on `folder`.
    ///
    /// `tell` hears how far the command is, if it takes long. Returns nil when no server listens there; then the caller may take the folder's lock itself.
    static func send(
        _ words: [String],
        folder: String,
        answerTimeout: Duration,
        telling tell: (String) -> Void = { _ in }
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
        let deadline = ContinuousClock.now + answerTimeout
        var rest: [UInt8] = []
        if ControlSocket.writeAll(socket, ControlMessage.encode(words: words)) {
            while let line = ControlSocket.readLine(
                socket,
                before: deadline,
                limitBytes: ControlMessage.answerLimitBytes,
                rest: &rest
            ) {
                if let result = ControlMessage.decodeResult(line) { return result }
                guard let progress = ControlMessage.decodeProgress(line) else { break }
                tell(progress)
            }
        }
        return .failure("the server on \(folder) took the command and gave no answer; see its log")
    }
}
