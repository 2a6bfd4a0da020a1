import HatoTesting
import HatoWire
import PieSocketAdapter
import Testing

@Suite("Numbers of a relay key")
struct AccountRouteTests {
    private static let secret = [("key", "relaykey"), ("secret", "relaysecret")]
    private static let targets = ["/api/connections", "/api/connections/sum", "/api/domains"]

    @Test("tells channels with their connections, and the sum, of this key alone")
    func numbers() throws {
        let fixture = try RelayFixture()
        let empty = try fixture.get("/api/connections", headers: Self.secret)
        #expect(empty.text == #"{"connections":[]}"#)
        var sockets = [try fixture.socket("a%22"), try fixture.socket("a%22", "&presence=1")]
        let one = try fixture.get("/api/connections", headers: Self.secret)
        #expect(one.text == #"{"connections":[{"channelId":"a\"","connections":2}]}"#)
        sockets.append(try fixture.socket("b"))
        sockets.append(
            try TestWebSocketClient(port: fixture.port, target: "/v3/c?api_key=relaykey2")
        )
        let both = try fixture.get("/api/connections", headers: Self.secret).text
        #expect(both.contains(#"{"channelId":"b","connections":1}"#))
        #expect(!both.contains(#""c""#))
        let sum = try fixture.get("/api/connections/sum", headers: Self.secret)
        #expect(sum.text == #"{"connections":3}"#)
    }

    @Test("tells the name under which it was asked")
    func domains() throws {
        let answer = try RelayFixture().get("/api/domains", headers: Self.secret)
        #expect(answer.text == #"{"domains":["localhost"]}"#)
    }

    @Test(
        "answers 401 with one text to a wrong key or secret",
        arguments: targets,
        [
            [], [("key", "relaykey")], [("secret", "relaysecret")],
            [("key", "wrong"), ("secret", "relaysecret")],
            [("key", "relaykey"), ("secret", "relaysecre")],
            [("key", "relaykey2"), ("secret", "relaysecret")],
        ]
    )
    func unauthenticated(target: String, headers: [(String, String)]) throws {
        let response = try RelayFixture().get(target, headers: headers)
        #expect(response.status == 401)
        #expect(response.text == #"{"error":"Invalid API key or secret."}"#)
    }
}
