import HatoWire
import ObjectModel
import SQLStorage

/// Users: the object of class `user`, and the account beside it.
extension ObjectWriter {
    /// How often a user name is drawn again when it is taken.
    private static let nameAttemptLimit = 4

    func signUp(_ signUp: SignUp) throws -> UserAccount {
        let policy = policy(of: .stranger, in: .user)
        guard policy.isPermitted(.create) else { throw DomainError(.forbidden) }
        try refuseTaken(userName: signUp.userName, besides: nil)
        try refuseTaken(mailAddress: signUp.mailAddress, besides: nil)
        for data in signUp.authData { try refuseTaken(data, besides: nil) }
        let userName = try signUp.userName ?? drawUserName()
        let document = try FieldOperation.apply(
            [named(userName)] + own(signUp.changes),
            to: WriteOrder.emptyDocument,
            limits: limits.documents
        )
        let users = try existingOrNewClass(.user)

        let moment = stamp()
        let id = try freeUserID(at: moment, in: users)
        let acl = signUp.acl ?? defaultUserACL(id, policy.settings)
        let object = try insert(document, in: users, id: id, access: ObjectAccess(acl))
        try log(.create, .user, users, before: nil, after: object)
        var account = UserAccount(
            object: object,
            userName: userName,
            passwordHash: signUp.passwordHash,
            mailAddress: signUp.mailAddress,
            isMailAddressConfirmed: signUp.mailAddress == nil ? nil : false,
            authData: []
        )
        try write(account, with: statements.insertAccount)
        for data in signUp.authData { try insert(data, of: object.row) }
        account.authData = signUp.authData.sorted { $0.provider < $1.provider }
        try insert(signUp.session, of: object)
        return account
    }

    func signUpOrIn(_ signUp: SignUp, provider: Text, providerID: Text) throws -> Outcome {
        guard let row = try accounts.row(provider: provider, providerID: providerID) else {
            return .signedIn(try self.signUp(signUp), isNew: true)
        }
        let fresh = signUp.authData.first {
            $0.provider == provider && $0.providerID == providerID
        }
        if let fresh {
            try deleteAuth(of: row, provider: provider)
            try insert(fresh, of: row)
        }
        let account = try account(row)
        try insert(signUp.session, of: account.object)
        return .signedIn(account, isNew: false)
    }

    func updateUser(_ update: UserUpdate) throws -> Outcome {
        let policy = policy(of: update.principal, in: .user)
        guard policy.isPermitted(.update) else { throw DomainError(.forbidden) }
        let (users, before) = try user(update.id)
        let isOwn = update.principal.userID == update.id || update.principal.isAdministrator
        var changes = own(update.changes)
        // The account follows its owner, the object its ACL (rulings 13).
        let touchesObject = !changes.isEmpty || update.acl != nil || !update.touchesAccount
        guard isOwn || !update.touchesAccount,
            !touchesObject || policy.mayWrite(before.object.acl)
        else { throw DomainError(.forbidden) }
        try refuseTaken(userName: update.userName, besides: before.object.row)
        if case .some(let mailAddress) = update.mailAddress {
            try refuseTaken(mailAddress: mailAddress, besides: before.object.row)
        }
        for case (_, .some(let data)) in update.authData {
            try refuseTaken(data, besides: before.object.row)
        }
        if let userName = update.userName { changes.append(named(userName)) }
        let document = try FieldOperation.apply(
            changes,
            to: before.object.document,
            limits: limits.documents
        )
        let after = try rewrite(
            before.object,
            in: users,
            document: document,
            access: update.acl.map { ObjectAccess($0) }
        )
        try log(.update, .user, users, before: before.object, after: after)
        if update.touchesAccount { try apply(update, to: before) }
        return .updated(after.updated)
    }

    func deleteUser(_ id: Text, by principal: Principal) throws -> Outcome {
        let policy = policy(of: principal, in: .user)
        guard policy.isPermitted(.delete) else { throw DomainError(.forbidden) }
        let (users, account) = try user(id)
        guard policy.mayWrite(account.object.acl) else { throw DomainError(.forbidden) }
        let row = account.object.row
        for statement in [statements.deleteAccount, statements.deleteAllAuth] {
            statement.bind(1, row)
            try statement.run()
        }
        try endSessions(of: row, except: nil)
        try remove(account.object, of: .user, in: users)
        return .deleted
    }

    /// Returns the class of users and one of its accounts.
    ///
    /// Errors: `notFound`.
    func user(_ id: Text) throws -> (ClassRecord, UserAccount) {
        guard let users = state.directory[.user], let row = try accounts.row(id: id, in: users)
        else { throw DomainError(.notFound) }
        return (users, try account(row))
    }

    private func account(_ row: Int64) throws -> UserAccount {
        guard let account = try accounts.account(row: row) else {
            throw DomainError(.system, cause: "user object without an account")
        }
        return account
    }

    private func apply(_ update: UserUpdate, to before: UserAccount) throws {
        var account = before
        let row = before.object.row
        if let userName = update.userName { account.userName = userName }
        if case .some(let mailAddress) = update.mailAddress, mailAddress != before.mailAddress {
            account.mailAddress = mailAddress
            account.isMailAddressConfirmed = mailAddress == nil ? nil : false
        }
        if let passwordHash = update.passwordHash {
            account.passwordHash = passwordHash
            try endSessions(of: row, except: update.keptTokenHash)
        }
        try write(account, with: statements.updateAccount)
        for (provider, data) in update.authData {
            try deleteAuth(of: row, provider: provider)
            if let data { try insert(data, of: row) }
        }
    }

    private func write(_ account: UserAccount, with statement: SQLiteStatement) throws {
        statement.bind(1, account.object.row)
        statement.bind(2, account.userName)
        statement.bind(3, account.passwordHash)
        statement.bind(4, account.mailAddress)
        statement.bind(5, account.mailAddress.map { MailKey.of($0) })
        statement.bind(6, account.isMailAddressConfirmed == true ? 1 : 0)
        try statement.run()
    }

    private func insert(_ data: AuthData, of row: Int64) throws {
        let insert = statements.insertAuth
        insert.bind(1, data.provider)
        insert.bind(2, data.providerID)
        insert.bind(3, row)
        insert.bind(4, utf8: data.json)
        try insert.run()
    }

    private func deleteAuth(of row: Int64, provider: Text) throws {
        statements.deleteAuth.bind(1, row)
        statements.deleteAuth.bind(2, provider)
        try statements.deleteAuth.run()
    }

    private func refuseTaken(userName: Text?, besides own: Int64?) throws {
        guard let userName, let row = try accounts.row(userName: userName), row != own else {
            return
        }
        throw DomainError(.duplicate, "userName")
    }

    private func refuseTaken(mailAddress: Text?, besides own: Int64?) throws {
        guard let mailAddress, let row = try accounts.row(mailAddress: mailAddress), row != own
        else { return }
        throw DomainError(.duplicate, "mailAddress")
    }

    private func refuseTaken(_ data: AuthData, besides own: Int64?) throws {
        let row = try accounts.row(provider: data.provider, providerID: data.providerID)
        if let row, row != own { throw DomainError(.duplicate, "authData") }
    }

    private func freeUserID(at moment: Timestamp, in users: ClassRecord) throws -> Text {
        for _ in 0..<ObjectWriter.nameAttemptLimit {
            let id = drawID(at: moment)
            if try accounts.row(id: id, in: users) == nil { return id }
        }
        throw DomainError(.system, cause: "no free user id")
    }

    private func drawUserName() throws -> Text {
        for _ in 0..<ObjectWriter.nameAttemptLimit {
            let name = UserNames.draw(using: &generator)
            if try accounts.row(userName: name) == nil { return name }
        }
        throw DomainError(.system, cause: "no free user name")
    }

    /// Everybody reads, the user reads and writes (rulings 13); with owner's default only the user.
    private func defaultUserACL(_ id: Text, _ settings: ClassSettings) -> ACL {
        let own = ACL.Entry(key: id, mayRead: true, mayWrite: true)
        return switch settings.defaultACL {
        case .public: ACL([ACL.Entry(key: "*", mayRead: true, mayWrite: false), own])
        case .owner: ACL([own])
        }
    }

    private func named(_ userName: Text) -> FieldChange {
        FieldChange(name: "userName", operation: .set(.string(userName)))
    }

    /// The changes of the client's own fields: an account's never come from them.
    private func own(_ changes: [FieldChange]) -> [FieldChange] {
        changes.filter { !UserNames.accountFields.contains($0.name) }
    }
}

extension UserUpdate {
    /// Whether it changes more than the user's object.
    fileprivate var touchesAccount: Bool {
        if case .some = mailAddress { return true }
        return userName != nil || passwordHash != nil || !authData.isEmpty
    }
}

/// Names that belong to accounts.
enum UserNames {
    /// Fields of a user that the account's own tables rule over (ncmb-rest §8).
    static let accountFields: Set<Text> = [
        "userName", "password", "mailAddress", "mailAddressConfirm", "authData", "sessionToken",
        "temporaryPassword",
    ]

    /// Draws ten characters of `[0-9A-Za-z]`.
    static func draw(using generator: inout some RandomNumberGenerator) -> Text {
        Text(
            utf8: (0..<10).map { _ in
                Base62.digit(Int.random(in: 0..<Base62.digitCount, using: &generator))
            }
        )
    }
}
