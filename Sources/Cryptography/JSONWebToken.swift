package import HatoWire

/// A token that lets its bearer into one channel: a JSON Web Token with HMAC-SHA256 (RFC 7519).
///
/// Only HS256 is known, so that no header can choose a weaker check; the code is compared, in constant
/// time, before anything behind it is parsed.
package struct JSONWebToken: Sendable, Equatable {
    /// Why a token is no good; for tests and logs: the bearer is told one text for all.
    package enum Failure: Error, Hashable, CaseIterable {
        case tooLong
        case malformed
        case wrongSignature
        case wrongAlgorithm
        case wrongSubject
        case expired
        case notYetValid
    }

    /// The longest token that is looked at.
    package static let limitBytes = 4_096
    /// How far the clock that made the token may be from ours (rulings 21).
    package static let leewaySeconds = 5.0

    /// The claim `user`: a string as it means, anything else as its JSON text; nil without one.
    package let user: Text?

    /// Reads a token for `subject`.
    ///
    /// `sub` must be exactly the subject (a number counts by its text) and `exp` be there; `nbf` and
    /// `iat`, where they are, must not lie ahead.
    package init(
        _ token: [UInt8],
        subject: Text,
        key: HMACKey,
        now: Timestamp
    ) throws(Failure) {
        guard token.count <= JSONWebToken.limitBytes else { throw .tooLong }
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let code = Base64URL.decode(parts[2])
        else { throw .malformed }
        let signed = Array(token[..<parts[1].endIndex])
        guard key.isValid(code, for: signed) else { throw .wrongSignature }
        let head = try TokenObject(header)
        // `crit` names what a reader must understand (RFC 7515 4.1.11), and we understand nothing.
        guard head.text("alg") == "HS256", !head.has("crit") else { throw .wrongAlgorithm }
        let claims = try TokenObject(payload)
        guard claims.text("sub") == subject else { throw .wrongSubject }
        let seconds = Double(now.millisecondsSinceEpoch) / 1_000
        guard let expiry = try claims.number("exp") else { throw .malformed }
        guard expiry > .double(seconds - JSONWebToken.leewaySeconds) else { throw .expired }
        for name in ["nbf", "iat"] as [Text] {
            guard let start = try claims.number(name) else { continue }
            guard start <= .double(seconds + JSONWebToken.leewaySeconds) else {
                throw .notYetValid
            }
        }
        user = claims.text("user")
    }

    /// Returns a token for `subject` that is good from `now` on, for so long.
    package static func sign(
        subject: Text,
        user: Text,
        now: Timestamp,
        lifetimeSeconds: Int,
        key: HMACKey
    ) -> Text {
        // Down to the second, so that it never lies ahead.
        let issued = now.millisecondsSinceEpoch / 1_000
        let expiry = issued.addingReportingOverflow(Int64(lifetimeSeconds))
        var claims = Array(#"{"sub":"#.utf8)
        JSONWriter.append(string: subject, to: &claims)
        claims.append(contentsOf: #","iat":\#(issued),"exp":"#.utf8)
        claims.append(contentsOf: "\(expiry.overflow ? .max : expiry.partialValue)".utf8)
        claims.append(contentsOf: #","user":"#.utf8)
        JSONWriter.append(string: user, to: &claims)
        claims.append(UInt8(ascii: "}"))
        var token = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        token.append(UInt8(ascii: "."))
        token.append(contentsOf: Base64URL.encode(claims))
        let code = key.code(of: token)
        token.append(UInt8(ascii: "."))
        token.append(contentsOf: Base64URL.encode(code))
        return Text(utf8: token)
    }
}

/// The members of a token's header or claims.
private struct TokenObject {
    private let bytes: [UInt8]
    private let tape: JSONTape
    private let values: [Text: Int]

    init(_ bytes: [UInt8]) throws(JSONWebToken.Failure) {
        var tape = JSONTape()
        do {
            let limits = JSONLimits(
                textBytes: JSONWebToken.limitBytes,
                depth: 16,
                entryCount: 1_000,
                memberCount: 100
            )
            try tape.parse(bytes.span, limits: limits)
        } catch {
            throw .malformed
        }
        guard tape.entries[0].kind == .object else { throw .malformed }
        self.bytes = bytes
        self.tape = tape
        self.values = tape.members(in: bytes.span)
    }

    func has(_ name: Text) -> Bool { values[name] != nil }

    /// A string as it means, anything else as its JSON text; nil for null.
    func text(_ name: Text) -> Text? {
        guard let index = values[name] else { return nil }
        switch tape.entries[index].kind {
        case .null: return nil
        case .string: return tape.text(index, in: bytes.span)
        case .true, .false, .number, .array, .object:
            return Text(utf8: bytes[tape.entries[index].range])
        }
    }

    /// Errors: it is there and no number.
    func number(_ name: Text) throws(JSONWebToken.Failure) -> NumberValue? {
        guard let index = values[name] else { return nil }
        guard tape.entries[index].kind == .number else { throw .malformed }
        return NumberValue(validated: bytes[tape.entries[index].range].span)
    }
}
