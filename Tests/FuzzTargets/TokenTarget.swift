import Cryptography
import HatoWire

/// Tokens of channels.
///
/// The input is one as it came, and the claims and header of one that is signed: a fuzzer can't sign,
/// and nothing behind the signature is read without it.
enum TokenTarget {
    private static let subject: Text = "private-room"
    private static let key = HMACKey(Array("secret".utf8))
    private static let now = Timestamp(millisecondsSinceEpoch: 1_700_000_000_000)

    static func check(_ input: [UInt8]) throws {
        try judge(input)
        // A line break divides the header from the claims.
        let parts = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        let header = parts.count == 2 ? Array(parts[0]) : Array(#"{"alg":"HS256"}"#.utf8)
        var token = Base64URL.encode(header)
        token.append(UInt8(ascii: "."))
        token.append(contentsOf: Base64URL.encode(Array(parts[parts.count - 1])))
        let code = key.code(of: token)
        try judge(token + [UInt8(ascii: ".")] + Base64URL.encode(code))
        var wrong = code
        wrong[0] ^= 1
        let forged = token + [UInt8(ascii: ".")] + Base64URL.encode(wrong)
        let refusals: Set<JSONWebToken.Failure> = [.wrongSignature, .tooLong]
        try hold(failure(forged).map(refusals.contains) == true, "a signature that is wrong")
    }

    private static func judge(_ token: [UInt8]) throws {
        let first = Result { try JSONWebToken(token, subject: subject, key: key, now: now) }
        switch first {
        case .failure: break
        case .success(let read):
            try hold(token.count <= JSONWebToken.limitBytes, "a token past its limit")
            try hold(failure(token, subject: "another") == .wrongSubject, "a token of two channels")
            let other = HMACKey(Array("other".utf8))
            try hold(failure(token, key: other) == .wrongSignature, "a token of two keys")
            let signed = JSONWebToken.sign(
                subject: subject,
                user: read.user ?? "",
                now: now,
                lifetimeSeconds: 60,
                key: key
            )
            let bytes = Array(signed.utf8)
            guard bytes.count <= JSONWebToken.limitBytes else { return }
            let again = try JSONWebToken(bytes, subject: subject, key: key, now: now)
            try hold(again.user == (read.user ?? ""), "a name that is written otherwise")
        }
    }

    private static func failure(
        _ token: [UInt8],
        subject: Text = TokenTarget.subject,
        key: HMACKey = TokenTarget.key
    ) -> JSONWebToken.Failure? {
        do throws(JSONWebToken.Failure) {
            _ = try JSONWebToken(token, subject: subject, key: key, now: now)
            return nil
        } catch {
            return error
        }
    }
}
