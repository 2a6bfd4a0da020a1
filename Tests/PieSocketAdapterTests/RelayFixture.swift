import Cryptography
import EventLoops
import Glibc
import HTTPServer
import HatoTesting
import HatoWire
import ObjectModel
import PieSocketAdapter
import Realtime

/// A server on two loops with the relay's routes and one application.
final class RelayFixture: Sendable {
    static let application = Application(
        id: "app0000000000000",
        name: "default",
        applicationKey: "application",
        clientKey: "client",
        relayKey: "relaykey",
        relaySecret: "relaysecret"
    )
    static let second = Application(
        id: "app0000000000001",
        name: "second",
        applicationKey: "application2",
        clientKey: "client2",
        relayKey: "relaykey2",
        relaySecret: "relaysecret2"
    )

    let group: EventLoopGroup
    let server: HTTPServer
    let hub: ChannelHub
    let port: Int
    let router: Router

    let directory = TestDirectory([RelayFixture.application, RelayFixture.second])

    init(
        loops: Int = 2,
        channelLimits: ChannelLimits = ChannelLimits(),
        limits: PieSocketLimits = PieSocketLimits()
    ) throws {
        let group = try EventLoopGroup(count: loops, limits: LoopLimits())
        let hub = ChannelHub(loops: group.loops, limits: channelLimits)
        var router = Router()
        PieSocketRoutes(hub: hub, directory: directory, limits: limits).register(on: &router)
        self.router = router
        let server = HTTPServer(group: group, router: router)
        self.port = Int(try server.listen(ListenAddress(host: "127.0.0.1", port: 0)))
        try group.start()
        self.group = group
        self.server = server
        self.hub = hub
    }

    deinit {
        server.stop(within: .zero)
        group.stop()
    }

    func socket(
        _ channel: String,
        _ rest: String = "",
        headers: [(String, String)] = [],
        connection: String = "Upgrade",
        seed: UInt64 = 1
    ) throws -> TestWebSocketClient {
        try TestWebSocketClient(
            port: port,
            target: "/v3/\(channel)?api_key=relaykey\(rest)",
            headers: headers,
            connection: connection,
            seed: seed
        )
    }

    /// Connects `count` members, and more until both loops serve a connection.
    ///
    /// The kernel chooses the loop by the connection's ports: a few tries give both.
    func sockets(
        _ channel: String,
        count: Int,
        _ rest: String = ""
    ) throws -> [TestWebSocketClient] {
        var sockets: [TestWebSocketClient] = []
        while try sockets.count < count || connectionsByLoop().contains(0) {
            sockets.append(try socket(channel, rest, seed: UInt64(sockets.count)))
        }
        return sockets
    }

    private func connectionsByLoop() throws -> [Int] {
        let counts = try Mailbox<Int>()
        for loop in group.loops { loop.execute { counts.put(loop.connectionCount) } }
        return try group.loops.map { _ in try counts.next("a loop's count") }
    }

    /// Returns when everything that was queued on every loop before has run.
    func settle() throws {
        let done = try Mailbox<Int>()
        for loop in group.loops { loop.execute { done.put(loop.index) } }
        for _ in group.loops { _ = try done.next("a loop to come round") }
    }

    /// Changes what the first application's relay key may do.
    func set(_ settings: RelaySettings) {
        directory.set(settings, forRelayKey: RelayFixture.application.relayKey)
    }

    /// Returns a token of the first application's secret, good now.
    func token(_ channel: Text, user: Text = "ann", secret: String = "relaysecret") -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return JSONWebToken.sign(
            subject: channel,
            user: user,
            now: Timestamp(millisecondsSinceEpoch: Int64(time.tv_sec) * 1_000),
            lifetimeSeconds: 60,
            key: HMACKey(Array(secret.utf8))
        ).string
    }

    func get(_ target: String, headers: [(String, String)] = []) throws -> TestHTTPResponse {
        let client = try TestHTTPClient(port: port)
        defer { client.close() }
        return try client.request("GET", target, headers: headers)
    }

    func publish(_ body: String) throws -> TestHTTPResponse {
        let client = try TestHTTPClient(port: port)
        defer { client.close() }
        return try client.request(
            "POST",
            "/api/publish?src=test&v=3",
            headers: [("Content-Type", "application/json")],
            text: body
        )
    }
}
