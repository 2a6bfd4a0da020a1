/// permessage-deflate (RFC 7692) as this server agrees to it: no message refers to the one before,
/// in either direction, and every window of the client is taken.
///
/// That a server may forbid the client to keep its context, asked or not, is RFC 7692 7.1.1.2.
package struct PerMessageDeflate: Sendable, Hashable {
    /// The greatest window of what the server sends, as a power of two: 9 to 15.
    package let serverWindowBits: Int
    /// Whether the client has asked for that window, and must be told.
    private let isWindowAsked: Bool

    /// What an offer of extensions comes to.
    package enum Outcome: Sendable, Hashable {
        case agreed(PerMessageDeflate)
        /// Nothing was offered that is spoken here; the socket opens without extension.
        case declined
        /// The field breaks its grammar: the handshake fails (RFC 6455 9.1).
        case malformed
    }

    /// Elements that an offer may have in all; more is taken as `malformed`.
    package static let offerLimit = 32

    /// Returns the agreement on the first of the client's offers that can be kept.
    package static func negotiate(_ request: HTTPRequest) -> Outcome {
        var offers: [ExtensionOffer] = []
        for value in request.values("sec-websocket-extensions") {
            guard let read = ExtensionOffer.read(value, limit: offerLimit - offers.count) else {
                return .malformed
            }
            offers += read
        }
        for offer in offers where offer.name == "permessage-deflate" {
            if let agreement = PerMessageDeflate(offer) { return .agreed(agreement) }
        }
        return .declined
    }

    /// nil when the offer has a parameter that is unknown, given twice, or has a wrong value (RFC
    /// 7692 7.1), or wants a window of 2^8 bytes, which zlib can't make.
    private init?(_ offer: ExtensionOffer) {
        var windowBits: Int?
        var seen: Set<String> = []
        for (name, value) in offer.parameters {
            guard seen.insert(name).inserted else { return nil }
            switch name {
            case "server_no_context_takeover", "client_no_context_takeover":
                guard value == nil else { return nil }
            case "server_max_window_bits":
                guard let bits = value.flatMap(Self.windowBits), bits >= 9 else { return nil }
                windowBits = bits
            case "client_max_window_bits":
                // A hint, and leave to ask for less. The greatest window reads them all.
                guard value == nil || value.flatMap(Self.windowBits) != nil else { return nil }
            default:
                return nil
            }
        }
        serverWindowBits = windowBits ?? 15
        isWindowAsked = windowBits != nil
    }

    /// A number from 8 to 15 without a leading zero.
    private static func windowBits(_ text: String) -> Int? {
        guard let bits = Int(text), (8...15).contains(bits), String(bits) == text else {
            return nil
        }
        return bits
    }

    /// Appends the value of the answer's Sec-WebSocket-Extensions.
    package func append(to output: inout [UInt8]) {
        output.append(
            literal: "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
        )
        if isWindowAsked {
            output.append(literal: "; server_max_window_bits=")
            output.append(contentsOf: String(serverWindowBits).utf8)
        }
    }

    /// Bytes that a compressed message of `messageLimitBytes` may come as.
    ///
    /// What can't be shortened gets longer: by an eighth and some bytes where a compressor knows
    /// fixed codes only.
    package static func packedLimit(messageLimitBytes limit: Int) -> Int {
        let sum = limit.addingReportingOverflow(limit / 8 + 64)
        return sum.overflow ? .max : sum.partialValue
    }
}
