import Glibc

/// A TCP connection to a server on this machine, with TLS if wanted; every call has a deadline.
///
/// Blocking, for one thread at a time. The descriptor itself does not block: poll(2) waits.
package final class TestSocket {
    package let descriptor: CInt
    private var isOpen = true
    /// Stands between the bytes of a test and the socket.
    package let tls: TestTLS?

    /// Connects; `receiveBufferBytes` makes a client that soon stops taking bytes.
    ///
    /// With `tls` it has shaken hands when it is made.
    package init(
        port: Int,
        host: String = "127.0.0.1",
        receiveBufferBytes: Int? = nil,
        tls: TestTLS? = nil,
        within limit: Duration = Deadline.usual
    ) throws {
        self.tls = tls
        self.descriptor = socket(
            AF_INET,
            CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue),
            0
        )
        guard descriptor >= 0 else { throw TestFailure.system(call: "socket", errno: errno) }
        if let receiveBufferBytes {
            setOption(SOL_SOCKET, SO_RCVBUF, CInt(clamping: receiveBufferBytes))
        }
        setOption(CInt(IPPROTO_TCP), TCP_NODELAY, 1)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            throw TestFailure.malformed("no IPv4 address: \(host)")
        }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            let reason = errno
            throw TestFailure.system(call: "connect", errno: reason)
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        if let tls { try shakeHands(tls, Deadline(limit)) }
    }

    private func shakeHands(_ tls: TestTLS, _ deadline: Deadline) throws {
        while true {
            let isOver = try tls.shakeHands()
            try sendRaw(tls.takeOutput())
            if isOver { return }
            var bytes: [UInt8] = []
            guard try receiveRaw(into: &bytes, awaiting: "a handshake", within: deadline) else {
                throw TestFailure.ended("a handshake")
            }
            tls.feed(bytes)
        }
    }

    deinit {
        if isOpen { Glibc.close(descriptor) }
    }

    private func setOption(_ level: CInt, _ name: CInt, _ value: CInt) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Sends all of `bytes`.
    package func send(_ bytes: [UInt8], within limit: Duration = Deadline.usual) throws {
        guard let tls else { return try sendRaw(bytes, within: limit) }
        try tls.write(bytes)
        try sendRaw(tls.takeOutput(), within: limit)
    }

    /// Sends bytes past TLS.
    package func sendRaw(_ bytes: [UInt8], within limit: Duration = Deadline.usual) throws {
        let deadline = Deadline(limit)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                guard try deadline.awaits(CShort(POLLOUT), on: descriptor) else {
                    throw TestFailure.deadline("the peer to take \(bytes.count - sent) bytes")
                }
            } else if errno != EINTR {
                throw TestFailure.system(call: "send", errno: errno)
            }
        }
    }

    /// Appends what has come, at least one byte, to `buffer`; false at the end of the stream, which
    /// with TLS is close_notify: a FIN without one is thrown.
    package func receive(
        into buffer: inout [UInt8],
        awaiting what: String,
        within deadline: Deadline = Deadline()
    ) throws -> Bool {
        guard let tls else {
            return try receiveRaw(into: &buffer, awaiting: what, within: deadline)
        }
        let old = buffer.count
        while true {
            try tls.read(into: &buffer)
            if buffer.count > old { return true }
            if tls.isFinishedByPeer { return false }
            var bytes: [UInt8] = []
            guard try receiveRaw(into: &bytes, awaiting: what, within: deadline) else {
                throw TestFailure.ended("close_notify")
            }
            tls.feed(bytes)
        }
    }

    /// The same past TLS.
    package func receiveRaw(
        into buffer: inout [UInt8],
        awaiting what: String,
        within deadline: Deadline = Deadline()
    ) throws -> Bool {
        while true {
            guard try deadline.awaits(CShort(POLLIN), on: descriptor) else {
                throw TestFailure.deadline(what)
            }
            let old = buffer.count
            let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
                let count = recv(descriptor, space.baseAddress, space.count, 0)
                if count > 0 { buffer.append(contentsOf: space[..<count]) }
                return count
            }
            if count > 0 { return buffer.count > old }
            if count == 0 { return false }
            guard errno == EAGAIN || errno == EINTR else {
                throw TestFailure.system(call: "recv", errno: errno)
            }
        }
    }

    /// Sends a FIN; answers can still be read.
    package func finishSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }

    /// Closes with a RST, as a client that vanishes.
    package func reset() {
        guard isOpen else { return }
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}
