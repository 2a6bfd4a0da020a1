import HatoWire
import ObjectModel
import SQLStorage

/// Finds accounts on one connection: the writer's, inside its transaction, or a reader's.
struct AccountLookup {
    private let byUser: SQLiteStatement
    private let byName: SQLiteStatement
    private let byMail: SQLiteStatement
    private let byProvider: SQLiteStatement
    private let auth: SQLiteStatement
    private let object: SQLiteStatement
    private let row: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        byUser = try connection.prepare(
            """
            SELECT user_name, password_hash, mail_address, mail_confirmed
            FROM account WHERE user = ?1
            """
        )
        byName = try connection.prepare("SELECT user FROM account WHERE user_name = ?1")
        byMail = try connection.prepare("SELECT user FROM account WHERE mail_key = ?1")
        byProvider = try connection.prepare(
            "SELECT user FROM auth WHERE provider = ?1 AND provider_id = ?2"
        )
        auth = try connection.prepare(
            "SELECT provider, provider_id, json FROM auth WHERE user = ?1 ORDER BY provider"
        )
        object = try connection.prepare(
            "SELECT row, id, created, updated, acl, doc FROM object WHERE row = ?1"
        )
        row = try connection.prepare("SELECT row FROM object WHERE class = ?1 AND id = ?2")
    }

    /// Returns the row of the user with this name, by bytes.
    func row(userName: Text) throws(SQLiteFailure) -> Int64? {
        byName.bind(1, userName)
        return try byName.first { $0.integer(0) }
    }

    func row(mailAddress: Text) throws(SQLiteFailure) -> Int64? {
        byMail.bind(1, MailKey.of(mailAddress))
        return try byMail.first { $0.integer(0) }
    }

    func row(provider: Text, providerID: Text) throws(SQLiteFailure) -> Int64? {
        byProvider.bind(1, provider)
        byProvider.bind(2, providerID)
        return try byProvider.first { $0.integer(0) }
    }

    func row(id: Text, in users: ClassRecord) throws(SQLiteFailure) -> Int64? {
        row.bind(1, users.rows.classNumber)
        row.bind(2, id)
        return try row.first { $0.integer(0) }
    }

    /// Returns the whole account of the user in this row.
    func account(row: Int64) throws(SQLiteFailure) -> UserAccount? {
        object.bind(1, row)
        guard let object = try object.first({ $0.storedObject() }) else { return nil }
        byUser.bind(1, row)
        let account = try byUser.first { columns in
            let mailAddress = columns.optionalText(2)
            return UserAccount(
                object: object,
                userName: columns.text(0),
                passwordHash: columns.optionalText(1),
                mailAddress: mailAddress,
                isMailAddressConfirmed: mailAddress == nil ? nil : columns.integer(3) != 0,
                authData: []
            )
        }
        guard var account else { return nil }
        auth.bind(1, row)
        defer { auth.reset() }
        while try auth.step() {
            account.authData.append(
                AuthData(provider: auth.text(0), providerID: auth.text(1), json: auth.bytes(2))
            )
        }
        return account
    }
}

/// The form of a mail address that is unique: ASCII letters in lower case, all else by bytes.
enum MailKey {
    static func of(_ mailAddress: Text) -> Text {
        Text(utf8: mailAddress.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
    }
}
