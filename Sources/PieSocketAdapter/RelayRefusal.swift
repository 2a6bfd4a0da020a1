import HatoWire
import Realtime

/// Why somebody does not get in, and the text that tells him.
///
/// Clients stop their endless reconnecting only at a message `{"error":"…"}`, so that a refusal is
/// said after the upgrade (realtime.md 0).
enum RelayRefusal: Error, Hashable, CaseIterable {
    case unknownKey
    case unauthenticated
    case badChannel
    case tooManyChannels
    case tooManyMembers

    init(_ refusal: ChannelRefusal) {
        switch refusal {
        case .tooManyChannels: self = .tooManyChannels
        case .tooManyMembers: self = .tooManyMembers
        }
    }

    /// The documented text for `unauthenticated`; the others are ours.
    var text: String {
        switch self {
        case .unknownKey: "Invalid API key."
        case .unauthenticated: "Authentication failed, provide valid jwt token."
        case .badChannel: "Invalid channel name."
        case .tooManyChannels: "Too many channels."
        case .tooManyMembers: "Too many connections in this channel."
        }
    }

    /// RFC 6455 7.4.1: policy violation, or try again later (IANA registry).
    var closeCode: UInt16 {
        switch self {
        case .unknownKey, .unauthenticated, .badChannel: 1008
        case .tooManyChannels, .tooManyMembers: 1013
        }
    }

    /// One flat object: the NCMB demo survives nothing else.
    var message: [UInt8] { RelayRefusal.message(text) }

    /// `text` is ours: nothing in it needs escaping.
    static func message(_ text: String) -> [UInt8] {
        Array(#"{"error":""#.utf8) + Array(text.utf8) + Array(#""}"#.utf8)
    }
}
