import Cryptography
import HatoTesting
import HatoWire
import Testing

@Suite("JSONWebToken")
struct JSONWebTokenTests {
    private typealias Failure = JSONWebToken.Failure
    private static let key = HMACKey(Array("relaysecret".utf8))
    private static let now: Int64 = 1_800_000_000

    private static func token(
        _ claims: String,
        header: String = #"{"alg":"HS256","typ":"JWT"}"#,
        key: HMACKey = Self.key
    ) -> [UInt8] {
        let signed =
            Base64URL.encode(Array(header.utf8)) + [0x2E] + Base64URL.encode(Array(claims.utf8))
        return signed + [0x2E] + Base64URL.encode(key.code(of: signed))
    }

    /// Reads a token for the channel `room`.
    private static func read(
        _ token: [UInt8],
        milliseconds: Int64 = now * 1_000
    ) -> Result<JSONWebToken, Failure> {
        Result { () throws(Failure) in
            try JSONWebToken(
                token,
                subject: "room",
                key: key,
                now: Timestamp(millisecondsSinceEpoch: milliseconds)
            )
        }
    }

    private static func failure(_ result: Result<JSONWebToken, Failure>) -> Failure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    @Test(
        "reads the user as text, whatever it is",
        arguments: [
            (#","user":"ann""#, "ann"), (#","user":7"#, "7"),
            (#","user":{"a":[1, 2]}"#, #"{"a":[1, 2]}"#),
            (#","user":true"#, "true"), (#","user":null"#, nil), ("", nil),
            (#","user":"\u3042","iss":"piesocket-php","iat":1800000000"#, "あ"),
        ] as [(String, String?)]
    )
    func users(claims: String, user: String?) throws {
        let token = Self.token(#"{"sub":"room","exp":1800000060\#(claims)}"#)
        #expect(try Self.read(token).get().user == user.map { Text($0) })
    }

    @Test("agrees with a token that another library made")
    func known() throws {
        // openssl dgst -sha256 -hmac relaysecret over the first two parts.
        let signed = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJyb29tIiwiZXhwIjoxODAwMDAwMDYwfQ"
        let code = Self.key.code(of: Array(signed.utf8))
        let token = Array(signed.utf8) + [0x2E] + Base64URL.encode(code)
        #expect(try Self.read(token).get().user == nil)
        #expect(
            Self.token(#"{"sub":"room","exp":1800000060}"#, header: #"{"alg":"HS256"}"#) == token
        )
    }

    @Test(
        "refuses other algorithms, headers and claims, by their reason",
        arguments: [
            (#"{"alg":"none"}"#, nil, .wrongAlgorithm), (#"{"alg":"HS512"}"#, nil, .wrongAlgorithm),
            (#"{"alg":"hs256"}"#, nil, .wrongAlgorithm), (#"{"typ":"JWT"}"#, nil, .wrongAlgorithm),
            (#"{"alg":["HS256"]}"#, nil, .wrongAlgorithm),
            (#"{"alg":"HS256","crit":["exp"]}"#, nil, .wrongAlgorithm),
            (#"{"alg":"HS256","alg":"HS256"}"#, nil, .malformed), ("[]", nil, .malformed),
            (nil, "[]", .malformed), (nil, "", .malformed), (nil, "{}", .wrongSubject),
            (nil, #"{"sub":"room"}"#, .malformed),
            (nil, #"{"sub":"Room","exp":1800000060}"#, .wrongSubject),
            (nil, #"{"sub":"room ","exp":1800000060}"#, .wrongSubject),
            (nil, #"{"sub":null,"exp":1800000060}"#, .wrongSubject),
            (nil, #"{"sub":["room"],"exp":1800000060}"#, .wrongSubject),
            (nil, #"{"sub":"room","exp":"1800000060"}"#, .malformed),
            (nil, #"{"sub":"room","exp":null}"#, .malformed),
            (nil, #"{"sub":"room","exp":1800000060,"nbf":"x"}"#, .malformed),
            (nil, #"{"sub":"room","exp":1,"sub":"room"}"#, .malformed),
        ] as [(String?, String?, JSONWebToken.Failure)]
    )
    func refusals(header: String?, claims: String?, failure: JSONWebToken.Failure) {
        let token = Self.token(
            claims ?? #"{"sub":"room","exp":1800000060}"#,
            header: header ?? #"{"alg":"HS256"}"#
        )
        #expect(Self.failure(Self.read(token)) == failure)
    }

    @Test("a subject that is a number counts by its text")
    func numericSubject() throws {
        let token = Self.token(#"{"sub":1,"exp":1800000060}"#)
        let now = Timestamp(millisecondsSinceEpoch: Self.now * 1_000)
        _ = try JSONWebToken(token, subject: "1", key: Self.key, now: now)
        #expect(throws: Failure.wrongSubject) {
            try JSONWebToken(token, subject: "01", key: Self.key, now: now)
        }
    }

    @Test("lets five seconds pass on either side, and not a millisecond more")
    func leeway() {
        let expiring = Self.token(#"{"sub":"room","exp":1800000000}"#)
        #expect(Self.failure(Self.read(expiring, milliseconds: 1_800_000_004_999)) == nil)
        #expect(Self.failure(Self.read(expiring, milliseconds: 1_800_000_005_000)) == .expired)
        for claim in ["nbf", "iat"] {
            let early = Self.token(#"{"sub":"room","exp":1800000060,"\#(claim)":1800000005}"#)
            #expect(Self.failure(Self.read(early, milliseconds: 1_800_000_000_000)) == nil)
            #expect(Self.failure(Self.read(early, milliseconds: 1_799_999_999_999)) == .notYetValid)
        }
        let fraction = Self.token(#"{"sub":"room","exp":1800000000.5}"#)
        #expect(Self.failure(Self.read(fraction, milliseconds: 1_800_000_005_499)) == nil)
        #expect(Self.failure(Self.read(fraction, milliseconds: 1_800_000_005_500)) == .expired)
    }

    @Test("refuses another secret, and any token of which one byte was changed or cut")
    func tampering() {
        let claims = #"{"sub":"room","exp":1800000060,"user":"ann"}"#
        let other = Self.token(claims, key: HMACKey(Array("relaysecre".utf8)))
        #expect(Self.failure(Self.read(other)) == .wrongSignature)
        let token = Self.token(claims)
        for index in token.indices {
            #expect(Self.failure(Self.read(Array(token[..<index]))) != nil)
            for flip in [1, 2, 0x20, 0x80] as [UInt8] {
                var changed = token
                changed[index] ^= flip
                #expect(Self.failure(Self.read(changed)) != nil)
            }
        }
        for bytes in [[], [0x2E], [0x2E, 0x2E], token + [0x2E], token + token] {
            #expect(Self.failure(Self.read(bytes)) != nil)
        }
    }

    @Test("reads a token of the limit, and none that is longer")
    func longest() {
        func token(_ padding: Int) -> [UInt8] {
            let filler = String(repeating: "x", count: padding)
            return Self.token(#"{"sub":"room","exp":1800000060,"user":"\#(filler)"}"#)
        }
        var padding = 2_900
        while token(padding + 1).count <= JSONWebToken.limitBytes { padding += 1 }
        #expect(token(padding).count > JSONWebToken.limitBytes - 3)
        #expect(Self.failure(Self.read(token(padding))) == nil)
        #expect(Self.failure(Self.read(token(padding + 1))) == .tooLong)
    }

    @Test("random changes of a signed token never trap, and never let a wrong subject in")
    func fuzz() {
        var generator = SeededGenerator(seed: 11)
        let claims = Array(
            #"{"sub":"room","exp":1800000060,"nbf":1e9,"user":{"a":[1,"\u3042"]}}"#.utf8
        )
        for _ in 0..<3_000 {
            var bytes = claims
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if case .success = Self.read(Self.token(text)) { #expect(text.contains("room")) }
            _ = Self.read(Self.token("{}", header: text))
            _ = Self.read(generator.bytes(Int.random(in: 0..<200, using: &generator)))
        }
    }

    @Test("makes tokens that it reads")
    func signing() throws {
        let now = Timestamp(millisecondsSinceEpoch: Self.now * 1_000 + 999)
        let token = JSONWebToken.sign(
            subject: "room",
            user: "あ\"n",
            now: now,
            lifetimeSeconds: 60,
            key: Self.key
        )
        let bytes = Array(token.utf8)
        #expect(try Self.read(bytes, milliseconds: now.millisecondsSinceEpoch).get().user == "あ\"n")
        #expect(Self.failure(Self.read(bytes, milliseconds: (Self.now + 65) * 1_000)) == .expired)
    }
}
