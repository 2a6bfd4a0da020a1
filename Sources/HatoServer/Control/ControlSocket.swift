import CLinux
import Glibc

/// The Unix socket in the data folder through which the command line talks to a running server.
///
/// One request a connection, one connection at a time, five seconds for it to arrive: it serves one
/// operator.
/// The folder is closed to other users, and so is the socket.
enum ControlSocket {
    static let fileName = "hato.sock"
    static let requestTimeout = Duration.seconds(5)

    /// The address of the socket in `folder`, through the folder's descriptor: a path in the
    /// address may have 107 bytes only, a data folder's may have more.
    static func withAddress<Result>(
        folderDescriptor: Int32,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("/proc/self/fd/\(folderDescriptor)/\(fileName)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            precondition(path.count < room.count, "the path has a fixed form of some 30 bytes")
            room.copyBytes(from: path)
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func make() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// Bounds a peer that does not read.
    static func setSendTimeout(_ descriptor: Int32, seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    /// Reads up to and without the newline; `rest` is what came behind the last line.
    ///
    /// Returns nil at the limit, when the peer has closed, at `deadline`, or as soon as `stopSignal`
    /// (if it is a descriptor) can be read.
    static func readLine(
        _ descriptor: Int32,
        before deadline: ContinuousClock.Instant,
        limitBytes: Int = ControlMessage.limitBytes,
        stopSignal: Int32 = -1,
        rest: inout [UInt8]
    ) -> [UInt8]? {
        var line: [UInt8] = []
        swap(&line, &rest)
        if let end = line.firstIndex(of: 0x0A) {
            rest = Array(line[(end + 1)...])
            return Array(line[..<end])
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while line.count <= limitBytes {
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else { return nil }
            var waits = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopSignal, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&waits, 2, Int32(left.rounded(.up)))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0, waits[1].revents == 0 else { return nil }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            if let end = buffer[..<count].firstIndex(of: 0x0A) {
                rest = Array(buffer[(end + 1)..<count])
                return line + buffer[..<end]
            }
            line += buffer[..<count]
        }
        return nil
    }

    /// Whether the other side has closed the connection.
    static func isAbandoned(_ descriptor: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&wait, 1, 0) > 0 && wait.revents & Int16(POLLHUP) != 0
    }

    static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
