package import HatoWire

/// A write, declared: what shall be in force after the commit, on whose behalf.
///
/// The store applies one mutation whole or not at all: all it can be refused for is checked first. Access is decided there,
/// inside the transaction, by `AccessPolicy` with the class's current settings.
package enum Mutation: Sendable {
    case create(className: ClassName, changes: [FieldChange], acl: ACL?, by: Principal)
    /// `acl` nil: unchanged.
    case update(className: ClassName, id: Text, changes: [FieldChange], acl: ACL?, by: Principal)
    case delete(className: ClassName, id: Text, by: Principal)

    case signUp(SignUp)
    /// Signs in the user who owns this provider's id, or creates it.
    case signUpOrIn(SignUp, provider: Text, providerID: Text)
    case updateUser(UserUpdate)
    case deleteUser(id: Text, by: Principal)

    /// A login whose proof was checked outside; refused when the account's password hash is no
    /// longer `provenHash` (a password change in between).
    case openSession(userID: Text, session: NewSession, provenHash: Text)
    case closeSession(tokenHash: [UInt8])

    case configureClass(ClassName, ClassSettings)
    /// Declares indexes over fields, and takes declarations back.
    case setIndexes(ClassName, added: [FieldPath], removed: [FieldPath])
    /// Makes an index that nobody asked for but the queries.
    case makeIndex(ClassName, FieldPath)
}

/// A new user with its first session.
package struct SignUp: Sendable {
    /// nil: the store draws ten characters.
    package var userName: Text?
    /// An argon2 string; nil for users without a password.
    package var passwordHash: Text?
    package var mailAddress: Text?
    /// `authData` by provider: canonical JSON objects.
    package var authData: [AuthData]
    package var changes: [FieldChange]
    package var acl: ACL?
    package var session: NewSession

    package init(
        userName: Text? = nil,
        passwordHash: Text? = nil,
        mailAddress: Text? = nil,
        authData: [AuthData] = [],
        changes: [FieldChange] = [],
        acl: ACL? = nil,
        session: NewSession
    ) {
        self.userName = userName
        self.passwordHash = passwordHash
        self.mailAddress = mailAddress
        self.authData = authData
        self.changes = changes
        self.acl = acl
        self.session = session
    }
}

/// What one provider says of a user.
package struct AuthData: Sendable, Hashable {
    package var provider: Text
    package var providerID: Text
    /// The provider's object, canonical JSON.
    package var json: [UInt8]

    package init(provider: Text, providerID: Text, json: [UInt8]) {
        self.provider = provider
        self.providerID = providerID
        self.json = json
    }
}

/// A session to be opened: only the token's hash is ever stored.
package struct NewSession: Sendable {
    package enum Kind: String, Sendable {
        case password
        case anonymous
    }

    /// SHA-256 of the token.
    package var tokenHash: [UInt8]
    package var kind: Kind
    package var lifetimeMilliseconds: Int64

    package init(tokenHash: [UInt8], kind: Kind, lifetimeMilliseconds: Int64) {
        self.tokenHash = tokenHash
        self.kind = kind
        self.lifetimeMilliseconds = lifetimeMilliseconds
    }
}

/// A change of a user; nil means unchanged.
package struct UserUpdate: Sendable {
    package var id: Text
    package var principal: Principal
    package var changes: [FieldChange]
    package var acl: ACL?
    package var userName: Text?
    package var passwordHash: Text?
    /// `.some(nil)` removes the address.
    package var mailAddress: Text??
    /// Set per provider; nil removes the provider's entry.
    package var authData: [(provider: Text, data: AuthData?)]
    /// The session that stays when a password change ends all others.
    package var keptTokenHash: [UInt8]?

    package init(id: Text, principal: Principal, changes: [FieldChange] = [], acl: ACL? = nil) {
        self.id = id
        self.principal = principal
        self.changes = changes
        self.acl = acl
        self.userName = nil
        self.passwordHash = nil
        self.mailAddress = nil
        self.authData = []
        self.keptTokenHash = nil
    }
}

/// What a mutation did.
package enum Outcome: Sendable {
    case created(id: Text, created: Timestamp)
    case updated(Timestamp)
    case deleted
    /// `isNew` false: an existing user signed in.
    case signedIn(UserAccount, isNew: Bool)
    case done
}

/// A user with what only its owner and the administrator may see.
package struct UserAccount: Sendable {
    package var object: StoredObject
    package var userName: Text
    package var passwordHash: Text?
    package var mailAddress: Text?
    /// nil: no address; false: unconfirmed.
    package var isMailAddressConfirmed: Bool?
    package var authData: [AuthData]

    package init(
        object: StoredObject,
        userName: Text,
        passwordHash: Text?,
        mailAddress: Text?,
        isMailAddressConfirmed: Bool?,
        authData: [AuthData]
    ) {
        self.object = object
        self.userName = userName
        self.passwordHash = passwordHash
        self.mailAddress = mailAddress
        self.isMailAddressConfirmed = isMailAddressConfirmed
        self.authData = authData
    }
}

extension UserAccount {
    /// Appends `{"PROVIDER":{…},…}`, or null without providers.
    package func appendAuthData(to output: inout [UInt8]) {
        guard !authData.isEmpty else {
            JSONWriter.append(literal: "null", to: &output)
            return
        }
        for (position, data) in authData.enumerated() {
            output.append(position == 0 ? 0x7B : 0x2C)
            JSONWriter.append(string: data.provider, to: &output)
            output.append(0x3A)
            output.append(contentsOf: data.json)
        }
        output.append(0x7D)
    }
}

/// One field of a write and what happens to it.
package struct FieldChange: Sendable, Hashable {
    package var name: Text
    package var operation: FieldOperation

    package init(name: Text, operation: FieldOperation) {
        self.name = name
        self.operation = operation
    }
}

/// A field operation (NCMB `__op`), or a plain value.
package enum FieldOperation: Sendable, Hashable {
    case set(Value)
    case increment(JSONNumber)
    case add([Value])
    case addUnique([Value])
    case remove([Value])
}
