import Glibc
import HatoTesting
import Testing

@testable import HatoServer

/// A stop takes under a second whatever the server is at.
@Suite("Stopping")
struct StoppingTests {
    @Test("ends lists that run and lists that wait")
    func lists() throws {
        let server = try RunningServer(settings: ["--list-threads", "1"])
        let filling = String(repeating: "x", count: 20_000)
        let writer = try server.client()
        for number in 0..<200 {
            let saved = try writer.send(
                "POST",
                "/classes/Big",
                #"{"n":\#(number),"body":"\#(filling)"}"#
            )
            try #require(saved.status == 201)
        }
        let clients = try (0..<40).map { _ in try TestHTTPClient(port: server.port) }
        for client in clients {
            try client.send(
                "GET",
                "/2013-09-01/classes/Big?limit=1000&order=body,n&where=%7B%22body%22:%7B%22$ne%22:1%7D%7D",
                headers: [("X-NCMB-Application-Key", server.applicationKey)]
            )
        }
        #expect(timeOfStop(server) < .seconds(1))
    }

    @Test("drops logins that wait for a hash")
    func logins() throws {
        let server = try RunningServer()
        let clients = try (0..<150).map { _ in try TestHTTPClient(port: server.port) }
        for (number, client) in clients.enumerated() {
            let body = #"{"userName":"user\#(number)","password":"p"}"#
            try client.send(
                "POST",
                "/2013-09-01/login",
                headers: [("X-NCMB-Application-Key", server.applicationKey)],
                body: Array(body.utf8)
            )
        }
        // An answer shows that the others have been read and wait.
        #expect(try clients[0].response().status == 401)
        #expect(timeOfStop(server) < .seconds(1))
    }

    @Test("does not wait for an operator who connects to the command socket and says nothing")
    func silentOperator() throws {
        let server = try RunningServer()
        let folder = open(server.folder.path(of: "data"), O_RDONLY | O_DIRECTORY)
        let socket = ControlSocket.make()
        defer { for descriptor in [folder, socket] { close(descriptor) } }
        let connected = ControlSocket.withAddress(folderDescriptor: folder) {
            connect(socket, $0, $1)
        }
        try #require(connected == 0)
        #expect(ControlSocket.writeAll(socket, Array("[\"app\"".utf8)))
        #expect(timeOfStop(server) < .seconds(1))
    }

    private func timeOfStop(_ server: RunningServer) -> Duration {
        ContinuousClock().measure { server.stop() }
    }
}
