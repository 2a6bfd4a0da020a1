import Backend
import HatoWire
import ObjectModel

/// Reads who wants to sign in, from a body or from a query.
///
/// The name counts before the address: ncmb_js sends its whole user along, address included.
enum LoginParser {
    struct Login {
        var name: UserService.LoginName
        var password: Text
    }

    /// Errors: `empty` for what is missing, `invalidType` for what is no text.
    static func parse(_ body: JSONObject) throws(DomainError) -> Login {
        try login(
            userName: text(body, "userName"),
            mailAddress: text(body, "mailAddress"),
            password: text(body, "password")
        )
    }

    static func parse(_ query: QueryParameters) throws(DomainError) -> Login {
        try login(
            userName: query.text(.userName),
            mailAddress: query.text(.mailAddress),
            password: query.text(.password)
        )
    }

    private static func login(
        userName: Text?,
        mailAddress: Text?,
        password: Text?
    ) throws(DomainError) -> Login {
        guard let password, !password.utf8.isEmpty else { throw DomainError(.empty, "password") }
        if let userName, !userName.utf8.isEmpty {
            return Login(name: .userName(userName), password: password)
        }
        guard let mailAddress, !mailAddress.utf8.isEmpty else {
            throw DomainError(.empty, "userName or mailAddress")
        }
        return Login(name: .mailAddress(mailAddress), password: password)
    }

    private static func text(_ body: JSONObject, _ name: Text) throws(DomainError) -> Text? {
        switch body[name] {
        case nil, .null: return nil
        case .string(let text): return text
        case .bool, .number, .array, .object: throw DomainError(.invalidType, name)
        }
    }
}
