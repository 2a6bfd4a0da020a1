import Glibc
import HatoTesting
import Testing

@Suite("Descriptors")
struct DescriptorTests {
    @Test("serves who is there when descriptors run out, and who waits when one is freed")
    func exhaustion() throws {
        let program = try ChildProcess.productsFolder() + "/echo-server"
        let server = try ChildProcess(
            "/bin/sh",
            ["-c", "ulimit -n 32; exec \(program) --listen 127.0.0.1:0 --loops 1"]
        )
        let line = try server.line(containing: "listening on")
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        // The kernel completes all the handshakes; the server can't take all the connections.
        let clients = try (0..<40).map { _ in try TestHTTPClient(port: port) }
        for client in clients { try client.send("GET", "/") }
        // How many depends on what the process has inherited.
        var served = 0
        while served < clients.count, try hasAnswer(clients[served], isSure: served < 4) {
            #expect(try clients[served].response().status == 200)
            served += 1
        }
        #expect((4..<32).contains(served))
        for _ in 0..<20 { #expect(try clients[0].request("GET", "/").status == 200) }
        // One leaves, one comes, until all have been served.
        for (leaving, coming) in zip(clients, clients[served...]) {
            leaving.close()
            #expect(try coming.response().status == 200)
        }
    }

    private func hasAnswer(_ client: TestHTTPClient, isSure: Bool) throws -> Bool {
        let deadline = Deadline(isSure ? Deadline.usual : .milliseconds(300))
        return try deadline.awaits(CShort(POLLIN), on: client.socket.descriptor)
    }
}
