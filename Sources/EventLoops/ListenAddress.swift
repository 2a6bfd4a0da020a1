import CLinux
import Glibc

/// Where a server listens: an IPv4 or IPv6 literal, or `localhost`, and a port.
package struct ListenAddress: Sendable, CustomStringConvertible {
    /// The host as it was given, without brackets.
    package let host: String
    /// 0 lets the kernel choose.
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`; nil for anything else.
    package init?(parsing text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.utf8.contains(UInt8(ascii: ":")) else { return nil }
        } else if host.utf8.contains(UInt8(ascii: ":")) {
            return nil
        }
        self.init(host: String(host), port: port)
        guard storage() != nil else { return nil }
    }

    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The address for the kernel; nil when the host is no literal.
    func storage() -> (address: sockaddr_storage, length: socklen_t)? {
        let literal = host == "localhost" ? "127.0.0.1" : host
        var storage = sockaddr_storage()
        var four = sockaddr_in()
        if inet_pton(AF_INET, literal, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
            return (storage, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        var six = sockaddr_in6()
        if inet_pton(AF_INET6, literal, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
            return (storage, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
        return nil
    }
}
