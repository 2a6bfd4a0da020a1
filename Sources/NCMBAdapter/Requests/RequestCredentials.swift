package import HatoWire

/// The headers by which a request says who it is, read in one pass.
///
/// A header that comes twice is refused: two parties could each believe another one.
package struct RequestCredentials: Sendable {
    package private(set) var applicationKey: ArraySlice<UInt8>?
    package private(set) var signature: ArraySlice<UInt8>?
    package private(set) var timestamp: ArraySlice<UInt8>?
    /// The session's token: of the session header or of `Authorization: Bearer`.
    package private(set) var sessionToken: ArraySlice<UInt8>?
    /// Whether a header was given twice, or two headers name different sessions.
    package private(set) var isAmbiguous = false

    package init(_ request: HTTPRequest) {
        for slot in request.fields {
            let value = request.head[slot.value]
            switch Header(request.head[slot.name]) {
            case .applicationKey: Self.take(value, into: &applicationKey, &isAmbiguous)
            case .signature: Self.take(value, into: &signature, &isAmbiguous)
            case .timestamp: Self.take(value, into: &timestamp, &isAmbiguous)
            case .session:
                // SDKs that hold no session may send its header empty.
                guard !value.isEmpty else { continue }
                Self.take(value, into: &sessionToken, &isAmbiguous)
            case .authorization:
                guard let token = RequestCredentials.bearerToken(value) else { continue }
                Self.take(token, into: &sessionToken, &isAmbiguous)
            case nil: continue
            }
        }
    }

    private static func take(
        _ value: ArraySlice<UInt8>,
        into credential: inout ArraySlice<UInt8>?,
        _ isAmbiguous: inout Bool
    ) {
        if let former = credential, former != value { isAmbiguous = true }
        credential = value
    }

    /// Returns what follows `Bearer`; nil for other schemes, which are not ours to judge.
    private static func bearerToken(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = Array("bearer ".utf8)
        guard value.count > scheme.count,
            zip(value, scheme).allSatisfy({ $0.0 | 0x20 == $0.1 | 0x20 })
        else { return nil }
        return value.dropFirst(scheme.count).drop { $0 == 0x20 }
    }
}

/// The headers that matter here, told apart by length before a byte is compared.
private enum Header {
    case applicationKey
    case signature
    case timestamp
    case session
    case authorization

    init?(_ name: ArraySlice<UInt8>) {
        switch name.count {
        case 22 where Header.equals(name, "x-ncmb-application-key"): self = .applicationKey
        case 16 where Header.equals(name, "x-ncmb-signature"): self = .signature
        case 16 where Header.equals(name, "x-ncmb-timestamp"): self = .timestamp
        case 25 where Header.equals(name, "x-ncmb-apps-session-token"): self = .session
        case 13 where Header.equals(name, "authorization"): self = .authorization
        default: return nil
        }
    }

    private static func equals(_ name: ArraySlice<UInt8>, _ lowercased: StaticString) -> Bool {
        lowercased.withUTF8Buffer { expected in
            guard name.count == expected.count else { return false }
            var position = name.startIndex
            for byte in expected {
                let letter = name[position]
                let isUpper = letter >= 0x41 && letter <= 0x5A
                guard (isUpper ? letter | 0x20 : letter) == byte else { return false }
                position += 1
            }
            return true
        }
    }
}
