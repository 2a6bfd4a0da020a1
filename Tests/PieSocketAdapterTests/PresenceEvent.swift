import HatoTesting
import HatoWire

/// One of the server's events as a client reads it.
struct PresenceEvent: Equatable {
    enum Kind: String {
        case list = "system:member_list"
        case joined = "system:member_joined"
        case left = "system:member_left"
    }

    struct Member: Hashable {
        var uuid: String
        var user: String

        init(_ uuid: String, _ user: String) {
            self.uuid = uuid
            self.user = user
        }
    }

    var kind: Kind
    /// Who has come or gone.
    var member: Member?
    var members: [Member]

    init(_ kind: Kind, _ member: Member? = nil, of members: [Member]) {
        self.kind = kind
        self.member = member
        self.members = members
    }

    /// Reads a message; throws when it is no event, or a field is no string.
    init(_ message: TestWebSocketClient.Message) throws {
        guard case .text(let text) = message,
            case .object(let root) = try JSON.parse(Array(text.utf8)),
            case .string(let event)? = root["event"], let kind = Kind(rawValue: event.string),
            case .object(let data)? = root["data"], case .array(let members)? = data["members"]
        else { throw TestFailure.malformed("no event of members: \(message)") }
        self.kind = kind
        self.members = try members.map(PresenceEvent.member)
        self.member = try data["member"].map(PresenceEvent.member)
    }

    private static func member(_ json: JSON) throws -> Member {
        guard case .object(let object) = json, object.members.count == 2,
            case .string(let uuid)? = object["uuid"], case .string(let user)? = object["user"]
        else { throw TestFailure.malformed("no member: \(json)") }
        return Member(uuid.string, user.string)
    }
}

extension TestWebSocketClient {
    func event() throws -> PresenceEvent { try PresenceEvent(receive()) }
}
