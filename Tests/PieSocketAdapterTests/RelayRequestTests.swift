import Cryptography
import HatoTesting
import HatoWire
import ObjectModel
import Realtime
import Testing

@testable import PieSocketAdapter

@Suite("RelayRequest")
struct RelayRequestTests {
    private let limits = PieSocketLimits()

    private func request(_ channel: String, _ query: String?) -> RelayRequest {
        RelayRequest(
            channel: Array(channel.utf8)[...],
            query: query.map { Array($0.utf8)[...] },
            limits: limits
        )
    }

    @Test(
        "takes notify_self without a value, 1 and true as on, everything else as off",
        arguments: [
            ("api_key=k", false), ("api_key=k&notify_self", true), ("notify_self&api_key=k", true),
            ("api_key=k&notify_self=", true), ("api_key=k&notify_self=1", true),
            ("api_key=k&notify_self=true", true), ("api_key=k&notify_self=True", true),
            ("api_key=k&notify_self=0", false), ("api_key=k&notify_self=false", false),
            ("api_key=k&notify_self=undefined", false), ("api_key=k&notify%5Fself=%31", true),
            ("api_key=k&notify_self=0&notify_self=1", false), ("api_key=k&&notify_self", true),
            ("api_key=k&xnotify_self", false),
        ]
    )
    func notifySelf(query: String, isOn: Bool) {
        #expect(request("room", query).notifiesSelf == isOn)
        #expect(request("room", query).apiKey == "k")
    }

    @Test(
        "reads the key leniently",
        arguments: [
            (nil, ""), ("", ""), ("api_key", ""), ("api_key=", ""), ("api_key=a%2Bb", "a+b"),
            ("api_key=a+b", "a+b"), ("api_key=a%", "a%"), ("api_key=a%zz", "a%zz"),
            ("api_key=a=b", "a=b"), ("api_key=one&api_key=two", "one"),
            ("user={\"a\":\"&b\"}&api_key=k", "k"), ("API_KEY=k", ""),
        ] as [(String?, String)]
    )
    func apiKey(query: String?, key: String) {
        #expect(request("room", query).apiKey == Text(key))
    }

    @Test(
        "accepts the names that clients use",
        arguments: [
            ("1", "1"), ("chat-room", "chat-room"), ("Chat", "Chat"), ("App.User.1", "App.User.1"),
            ("%E9%9B%91%E8%AB%87", "雑談"), ("a%20b", "a b"), ("presence-x", "presence-x"),
            ("%", "%"), ("a%2Fb", "a/b"),
        ]
    )
    func names(sent: String, name: String) {
        #expect(request(sent, nil).channel == Text(name))
    }

    @Test(
        "refuses an empty name, controls and what is not UTF-8",
        arguments: ["", "a%00", "a%0A", "%7F", "%FF", "%C0%AF", "%ED%A0%80"]
    )
    func badNames(sent: String) {
        #expect(request(sent, nil).channel == nil)
    }

    @Test("takes a name of 128 bytes and refuses one of 129")
    func longestName() {
        #expect(request(String(repeating: "a", count: 128), nil).channel != nil)
        #expect(request(String(repeating: "a", count: 129), nil).channel == nil)
        #expect(request(String(repeating: "%41", count: 128), nil).channel != nil)
    }

    @Test("looks at the key first, then at the name, and lets nobody into a private channel")
    func admission() throws {
        let application = RelayFixture.application
        let known: (Text) -> Application? = { $0 == application.relayKey ? application : nil }
        let key = "api_key=" + application.relayKey.string
        func admission(
            _ channel: String,
            _ query: String?
        ) -> Result<RelayAdmission, RelayRefusal> {
            request(channel, query).admission(
                known,
                limits: limits,
                random: SecureRandom(),
                now: Timestamp(millisecondsSinceEpoch: 0)
            )
        }
        #expect(admission("%00", "api_key=x") == .failure(.unknownKey))
        #expect(admission("room", nil) == .failure(.unknownKey))
        #expect(admission("%00", key) == .failure(.badChannel))
        #expect(admission("private-a", key) == .failure(.unauthenticated))
        #expect(admission("%70rivate-a", key) == .failure(.unauthenticated))
        let channel = ChannelKey(scope: application.relayKey, name: "room")
        #expect(
            try admission("room", key).get()
                == RelayAdmission(channel: channel, notifiesSelf: false)
        )
    }

    @Test(
        "says every refusal in one flat JSON object of a string",
        arguments: RelayRefusal.allCases
    )
    func texts(refusal: RelayRefusal) throws {
        let message = String(decoding: refusal.message, as: UTF8.self)
        #expect(message == "{\"error\":\"\(refusal.text)\"}")
        #expect(!refusal.text.contains { $0 == "\"" || $0 == "\\" })
    }
}
