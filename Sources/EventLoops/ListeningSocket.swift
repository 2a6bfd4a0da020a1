import CLinux
import Glibc

/// Opens the sockets that loops listen on.
enum ListeningSocket {
    /// Opens `count` listeners that share `address`, and returns them with the port.
    ///
    /// A port that is given is first bound without SO_REUSEPORT: that option lets a second process
    /// of the same user share the port in silence, where a second server shall fail loudly.
    static func open(
        _ address: ListenAddress,
        count: Int,
        backlog: Int32
    ) throws(LoopFailure) -> (descriptors: [Int32], port: UInt16) {
        if address.port != 0 {
            close(try bound(address, sharesPort: false))
        }
        var descriptors: [Int32] = []
        var address = address
        do throws(LoopFailure) {
            for _ in 0..<count {
                let descriptor = try bound(address, sharesPort: true)
                descriptors.append(descriptor)
                guard Glibc.listen(descriptor, backlog) == 0 else {
                    throw LoopFailure("cannot listen on \(address)", code: errno)
                }
                if address.port == 0 {
                    let port = try port(of: descriptor, address)
                    address = ListenAddress(host: address.host, port: port)
                }
            }
        } catch {
            for descriptor in descriptors {
                close(descriptor)
            }
            throw error
        }
        return (descriptors, address.port)
    }

    private static func bound(
        _ address: ListenAddress,
        sharesPort: Bool
    ) throws(LoopFailure) -> Int32 {
        guard let (storage, length) = address.storage() else {
            throw LoopFailure("cannot listen on \(address): not an address", code: EINVAL)
        }
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(Int32(storage.ss_family), Int32(kind), 0)
        guard descriptor >= 0 else {
            throw LoopFailure("cannot open a socket for \(address)", code: errno)
        }
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
        if sharesPort {
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, size)
        }
        let status = withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, length)
            }
        }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw LoopFailure("cannot listen on \(address)", code: code)
        }
        return descriptor
    }

    private static func port(
        of descriptor: Int32,
        _ address: ListenAddress
    ) throws(LoopFailure) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        guard status == 0 else {
            throw LoopFailure("cannot read the port of \(address)", code: errno)
        }
        return PeerAddress(storage).port
    }
}
