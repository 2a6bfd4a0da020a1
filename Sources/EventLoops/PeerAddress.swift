import CLinux
import Glibc

/// The other end of a connection.
///
/// IPv4 is held as its IPv6 mapping, so both compare as one.
package struct PeerAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64
    package let port: UInt16

    private static let mappedPrefix: UInt64 = 0xFFFF << 32

    init(_ storage: sockaddr_storage) {
        var storage = storage
        let family = Int32(storage.ss_family)
        (high, low, port) = withUnsafeBytes(of: &storage) { bytes in
            switch family {
            case AF_INET:
                let address = bytes.load(as: sockaddr_in.self)
                let host = UInt32(bigEndian: address.sin_addr.s_addr)
                return (0, Self.mappedPrefix | UInt64(host), UInt16(bigEndian: address.sin_port))
            case AF_INET6:
                let address = bytes.load(as: sockaddr_in6.self)
                let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
                return (
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
                    UInt64(
                        bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
                    ),
                    UInt16(bigEndian: address.sin6_port)
                )
            default:
                return (0, 0, 0)
            }
        }
    }

    /// Makes the address of an IPv4 host, its first number the most significant byte.
    package init(ipv4 host: UInt32, port: UInt16) {
        high = 0
        low = Self.mappedPrefix | UInt64(host)
        self.port = port
    }

    /// The address without its port: `127.0.0.1`, or eight groups of hexadecimal digits.
    package var host: String {
        if high == 0, low >> 32 == 0xFFFF {
            return (0..<4).map { String(low >> (24 - 8 * UInt64($0)) & 0xFF) }.joined(
                separator: "."
            )
        }
        return Self.groups(high) + ":" + Self.groups(low)
    }

    /// What of the address one client has to itself: all of IPv4, the first four groups of IPv6.
    ///
    /// Whoever has one address of such a network has the 2^64 others as well.
    package var network: String {
        high == 0 && low >> 32 == 0xFFFF ? host : Self.groups(high)
    }

    private static func groups(_ half: UInt64) -> String {
        (0..<4).map { String(half >> (48 - 16 * UInt64($0)) & 0xFFFF, radix: 16) }
            .joined(separator: ":")
    }
}

extension PeerAddress: CustomStringConvertible {
    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
