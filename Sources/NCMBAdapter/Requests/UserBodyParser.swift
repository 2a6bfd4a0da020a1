import Backend
import HatoWire
import ObjectModel

/// Reads the body of a sign-up or of a user's change: the account's fields apart from the others.
///
/// `password`, `mailAddress`, `authData` and `userName` go to the account. What a client read before
/// and sends back is dropped: `sessionToken`, `temporaryPassword`, `mailAddressConfirm`
/// (ncmb-rest §8).
struct UserBodyParser {
    private static let leftovers: [Text] = [
        "sessionToken", "temporaryPassword", "mailAddressConfirm",
    ]

    /// Errors: `invalidType` with the field, `empty` for an anonymous id, and the others of
    /// `ObjectDraft`.
    static func parse(
        _ body: JSONObject,
        limits: DocumentLimits
    ) throws(DomainError) -> UserDraft {
        var draft = UserDraft()
        var others: [JSONObject.Member] = []
        for member in body.members {
            switch member.name {
            case "userName": draft.userName = try string(member)
            case "password": draft.password = try string(member)
            case "mailAddress":
                draft.mailAddress = .some(member.value == .null ? nil : try string(member))
            case "authData": draft.authData = try authData(member.value)
            case let name where leftovers.contains(name): continue
            default: others.append(member)
            }
        }
        let rest = try ObjectDraft.decode(JSONObject(others), limits: limits)
        draft.changes = rest.changes
        draft.acl = rest.acl
        return draft
    }

    private static func string(_ member: JSONObject.Member) throws(DomainError) -> Text {
        guard case .string(let text) = member.value else {
            throw DomainError(.invalidType, member.name)
        }
        return text
    }

    /// Returns the entries by provider; `authData` null says nothing, `{}` is refused.
    private static func authData(_ json: JSON) throws(DomainError) -> [UserDraft.ProviderEntry]? {
        if case .null = json { return nil }
        guard case .object(let providers) = json, !providers.members.isEmpty else {
            throw DomainError(.invalidType, "authData")
        }
        var entries: [UserDraft.ProviderEntry] = []
        for member in providers.members {
            let data = member.value == .null ? nil : try self.data(member.name, member.value)
            entries.append(UserDraft.ProviderEntry(provider: member.name, data: data))
        }
        return entries
    }

    /// Reads a provider's object: its `id` is text, never anything that could be a condition.
    private static func data(_ provider: Text, _ json: JSON) throws(DomainError) -> AuthData {
        guard case .object(let object) = json, case .string(let id) = object["id"],
            !id.utf8.isEmpty, id.utf8.count <= UserDraft.providerIDLimitBytes
        else { throw DomainError(.invalidType, "authData") }
        // An anonymous user is its id and nothing else; a social provider's object is its own.
        let kept =
            provider == UserService.anonymous
            ? JSONObject([JSONObject.Member(name: "id", value: .string(id))]) : object
        return AuthData(
            provider: provider,
            providerID: id,
            json: JSONWriter.bytes(.object(kept))
        )
    }
}
