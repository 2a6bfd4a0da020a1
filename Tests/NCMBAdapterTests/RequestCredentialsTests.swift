import HatoWire
import Testing

@testable import NCMBAdapter

@Suite("RequestCredentials")
struct RequestCredentialsTests {
    private static func text(_ bytes: ArraySlice<UInt8>?) -> String? {
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("reads the four headers in any case")
    func reads() throws {
        let request = try TestRequest.parse(headers: [
            ("X-Ncmb-Application-Key", "K"), ("x-ncmb-timestamp", "T"),
            ("X-NCMB-SIGNATURE", "S"), ("X-NCMB-Apps-Session-Token", "U"),
            ("X-NCMB-SDK-Version", "swift-1.4.2"),
        ])
        let credentials = RequestCredentials(request)
        #expect(Self.text(credentials.applicationKey) == "K")
        #expect(Self.text(credentials.timestamp) == "T")
        #expect(Self.text(credentials.signature) == "S")
        #expect(Self.text(credentials.sessionToken) == "U")
        #expect(!credentials.isAmbiguous)
    }

    @Test("a bearer token is a session, other schemes are not")
    func bearer() throws {
        for (value, token) in [("Bearer U", "U"), ("bearer  U", "U"), ("BEARER U", "U")] {
            let credentials = RequestCredentials(
                try TestRequest.parse(headers: [("Authorization", value)])
            )
            #expect(Self.text(credentials.sessionToken) == token)
        }
        for value in ["Basic U", "Bearer", "BearerU", ""] {
            let credentials = RequestCredentials(
                try TestRequest.parse(headers: [("Authorization", value)])
            )
            #expect(credentials.sessionToken == nil)
        }
    }

    @Test("an empty session is none, an empty signature is there and wrong")
    func empty() throws {
        let credentials = RequestCredentials(
            try TestRequest.parse(headers: [
                ("X-NCMB-Apps-Session-Token", ""), ("X-NCMB-Signature", ""),
            ])
        )
        #expect(credentials.sessionToken == nil)
        #expect(credentials.signature?.isEmpty == true)
    }

    @Test(
        "two different values of one credential are ambiguous, twice the same is not",
        arguments: [
            "X-NCMB-Application-Key", "X-NCMB-Timestamp", "X-NCMB-Signature",
            "X-NCMB-Apps-Session-Token",
        ]
    )
    func twice(name: String) throws {
        let different = try TestRequest.parse(headers: [(name, "1"), (name.lowercased(), "2")])
        #expect(RequestCredentials(different).isAmbiguous)
        let same = try TestRequest.parse(headers: [(name, "1"), (name, "1")])
        #expect(!RequestCredentials(same).isAmbiguous)
        let sessions = try TestRequest.parse(headers: [
            ("X-NCMB-Apps-Session-Token", "1"), ("Authorization", "Bearer 2"),
        ])
        #expect(RequestCredentials(sessions).isAmbiguous)
    }
}

@Suite("RequestTimestamp")
struct RequestTimestampTests {
    @Test(
        "reads what SDKs send",
        arguments: [
            ("2013-12-02T02:44:35.452Z", "2013-12-02T02:44:35.452Z"),
            ("2016-05-27T04%3A46%3A09.376Z", "2016-05-27T04:46:09.376Z"),
            ("2016-05-27T04%3a46%3a09.376Z", "2016-05-27T04:46:09.376Z"),
            ("2026-11-30T00:57:07Z", "2026-11-30T00:57:07.000Z"),
        ]
    )
    func reads(header: String, moment: Text) {
        #expect(RequestTimestamp.parse(Array(header.utf8)[...])?.text == moment)
    }

    @Test("refuses other text", arguments: ["", "now", "2016-05-27T04%4A46:09Z", "2016-05-27T04%"])
    func refuses(header: String) {
        #expect(RequestTimestamp.parse(Array(header.utf8)[...]) == nil)
    }

    @Test("refuses text over its limit before it looks at it")
    func limit() {
        let header = [UInt8](repeating: 0x30, count: 65_000)
        #expect(RequestTimestamp.parse(header[...]) == nil)
    }
}
