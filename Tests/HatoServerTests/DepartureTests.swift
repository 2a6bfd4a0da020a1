import HatoTesting
import Testing

@testable import HatoServer

/// Clients that leave while the server works for them (rulings 26).
@Suite("Clients that leave the server")
struct DepartureTests {
    private static let target =
        "/2013-09-01/classes/Big?limit=1000&order=body,n&where=%7B%22body%22:%7B%22$ne%22:1%7D%7D"

    @Test("a reset frees the threads for lists of what nobody waits for")
    func lists() throws {
        let server = try RunningServer(settings: ["--list-threads", "1", "--loops", "1"])
        let filling = String(repeating: "x", count: 20_000)
        let writer = try server.client()
        for number in 0..<200 {
            let body = #"{"n":\#(number),"body":"\#(filling)"}"#
            try #require(try writer.send("POST", "/classes/Big", body).status == 201)
        }
        func ask(_ client: TestHTTPClient) throws {
            try client.send(
                "GET",
                DepartureTests.target,
                headers: [("X-NCMB-Application-Key", server.applicationKey)]
            )
        }
        func list() throws {
            let client = try TestHTTPClient(port: server.port)
            try ask(client)
            #expect(try client.response().status == 200)
        }
        try list()
        let alone = try ContinuousClock().measure { try list() }

        let count = 60
        let leavers = try (0..<count).map { _ in try TestHTTPClient(port: server.port) }
        for leaver in leavers { try ask(leaver) }
        // Reads the loop makes after theirs: all those lists have been asked for.
        for _ in 0..<2 { try #require(try writer.send("GET", "/classes/None/x").status == 404) }
        for leaver in leavers { leaver.reset() }
        let afterwards = try ContinuousClock().measure { try list() }
        #expect(afterwards < alone * (count / 2), "\(afterwards) after \(alone) alone")
    }
}
