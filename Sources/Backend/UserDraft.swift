package import HatoWire
package import ObjectModel

/// What a client says of a user, as the protocol's edge has read it: types checked, rules not yet.
package struct UserDraft: Sendable {
    /// One provider's entry: what it says, or nil to take it away.
    package struct ProviderEntry: Sendable {
        package var provider: Text
        package var data: AuthData?

        package init(provider: Text, data: AuthData?) {
            self.provider = provider
            self.data = data
        }
    }

    /// nil: not mentioned; empty text is refused.
    package var userName: Text?
    package var password: Text?
    /// `.some(nil)`: taken away.
    package var mailAddress: Text??
    /// nil: not mentioned.
    package var authData: [ProviderEntry]?
    package var changes: [FieldChange]
    package var acl: ACL?

    package init(
        userName: Text? = nil,
        password: Text? = nil,
        mailAddress: Text?? = nil,
        authData: [ProviderEntry]? = nil,
        changes: [FieldChange] = [],
        acl: ACL? = nil
    ) {
        self.userName = userName
        self.password = password
        self.mailAddress = mailAddress
        self.authData = authData
        self.changes = changes
        self.acl = acl
    }

    /// Whether a field of the account is mentioned: those are the owner's alone to change.
    var touchesAccount: Bool {
        userName != nil || password != nil || mailAddress != nil || authData != nil
    }
}

extension UserDraft {
    package static let userNameLimitBytes = 256
    /// RFC 5321 4.5.3.1.3: 256 with the angle brackets.
    package static let mailAddressLimitBytes = 254
    package static let providerIDLimitBytes = 256

    /// Checks what is there of name, password and address.
    ///
    /// Errors: `empty`, `invalidFormat`, `invalidValue` (a password over the limit).
    func checkAccount() throws(DomainError) {
        if let userName {
            guard !userName.utf8.isEmpty else { throw DomainError(.empty, "userName") }
            guard userName.utf8.count <= UserDraft.userNameLimitBytes,
                !userName.utf8.contains(where: UserDraft.isControl)
            else { throw DomainError(.invalidFormat, "userName") }
        }
        if let password {
            guard !password.utf8.isEmpty else { throw DomainError(.empty, "password") }
            guard password.utf8.count <= PasswordService.limitBytes else {
                throw DomainError(.invalidValue, "password")
            }
        }
        if case .some(.some(let address)) = mailAddress {
            guard !address.utf8.isEmpty else { throw DomainError(.empty, "mailAddress") }
            guard UserDraft.isMailAddress(address) else {
                throw DomainError(.invalidFormat, "mailAddress")
            }
        }
    }

    /// Whether the text can be an address: something on both sides of its last `@`, no blanks or
    /// controls.
    ///
    /// Whether it reaches anybody only a mail can tell.
    private static func isMailAddress(_ address: Text) -> Bool {
        let utf8 = address.utf8
        guard utf8.count <= mailAddressLimitBytes, let at = utf8.lastIndex(of: 0x40) else {
            return false
        }
        return at != utf8.startIndex && utf8.index(after: at) != utf8.endIndex
            && !utf8.contains { isControl($0) || $0 == 0x20 }
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
}
