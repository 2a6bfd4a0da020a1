import HTTPServer
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
    case tooManyConnections
    case tooManyMembers
    case tooManyPresent
    case badMember
    case reservedEvent
    case tooManyMessages

    init(_ refusal: ChannelRefusal) {
        switch refusal {
        case .tooManyChannels: self = .tooManyChannels
        case .tooManyConnections: self = .tooManyConnections
        case .tooManyMembers: self = .tooManyMembers
        case .tooManyPresent: self = .tooManyPresent
        }
    }

    /// The documented text for `unauthenticated`; the others are ours.
    var text: String {
        switch self {
        case .unknownKey: "Invalid API key."
        case .unauthenticated: "Authentication failed, provide valid jwt token."
        case .badChannel: "Invalid channel name."
        case .tooManyChannels: "Too many channels."
        case .tooManyConnections: "Too many connections."
        case .tooManyMembers: "Too many connections in this channel."
        case .tooManyPresent: "Too many members in this channel."
        case .badMember: "The uuid or the user is too long."
        case .reservedEvent: "Events that begin with system:member_ are the server's."
        case .tooManyMessages: "Too many messages in a second."
        }
    }

    /// RFC 6455 7.4.1: policy violation, or try again later (IANA registry).
    var closeCode: UInt16 {
        switch self {
        case .unknownKey, .unauthenticated, .badChannel, .badMember, .reservedEvent: 1008
        case .tooManyChannels, .tooManyConnections, .tooManyMembers, .tooManyPresent,
            .tooManyMessages:
            1013
        }
    }

    /// One flat object: the NCMB demo survives nothing else.
    var message: [UInt8] { RelayRefusal.message(text) }

    /// `text` is ours: nothing in it needs escaping.
    static func message(_ text: String) -> [UInt8] {
        Array(#"{"error":""#.utf8) + Array(text.utf8) + Array(#""}"#.utf8)
    }

    /// The same as an answer over HTTP.
    static func response(_ status: Int, _ text: String) -> Response {
        .json(message(text), status: status)
    }

    /// Whether who is refused so is on the way to finding a key or a token.
    var isFailedProof: Bool { self == .unknownKey || self == .unauthenticated }
}
