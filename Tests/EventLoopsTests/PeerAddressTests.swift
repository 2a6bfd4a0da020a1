import Glibc
import Testing

@testable import EventLoops

@Suite("PeerAddress")
struct PeerAddressTests {
    private func address(_ text: String) throws -> PeerAddress {
        var storage = sockaddr_storage()
        let isRead = withUnsafeMutableBytes(of: &storage) { bytes in
            let address = bytes.assumingMemoryBound(to: sockaddr_in6.self)
            address[0].sin6_family = sa_family_t(AF_INET6)
            return inet_pton(AF_INET6, text, &address[0].sin6_addr) == 1
        }
        try #require(isRead)
        return PeerAddress(storage)
    }

    @Test("of an IPv6 address the first four groups are the client's network, of IPv4 all")
    func networks() throws {
        let home = try address("2001:db8:0:1::1")
        #expect(home.host == "2001:db8:0:1:0:0:0:1")
        #expect(home.network == "2001:db8:0:1")
        #expect(try address("2001:db8:0:1:ff:0:9:2").network == home.network)
        #expect(try address("2001:db8:0:2::1").network != home.network)
        #expect(PeerAddress(ipv4: 0xC000_0201, port: 1).network == "192.0.2.1")
        #expect(try address("::ffff:192.0.2.1").network == "192.0.2.1")
    }
}
