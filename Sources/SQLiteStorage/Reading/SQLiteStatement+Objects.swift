import HatoWire
import ObjectModel

/// Columns that every statement about objects selects: row, id, created, updated, acl, doc.
extension SQLiteStatement {
    func storedObject() -> StoredObject {
        StoredObject(
            row: integer(0),
            id: text(1),
            created: timestamp(2),
            updated: timestamp(3),
            acl: ACL(canonical: bytes(4)),
            document: bytes(5)
        )
    }

    func timestamp(_ column: Int32) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: integer(column))
    }

    func bind(_ index: Int32, _ value: Timestamp) {
        bind(index, value.millisecondsSinceEpoch)
    }

    /// Runs the statement for at most one row, and resets it.
    func first<Result>(_ read: (SQLiteStatement) -> Result) throws(SQLiteFailure) -> Result? {
        guard try step() else {
            reset()
            return nil
        }
        let result = read(self)
        reset()
        return result
    }
}

extension SQLiteStatement {
    /// Appends the JSON of the object in this row, spliced from the stored bytes.
    func appendJSON(to output: inout [UInt8]) {
        withBytes(1) { id in
            withBytes(4) { acl in
                withBytes(5) { document in
                    ObjectJSON.append(
                        id: id.span,
                        created: timestamp(2),
                        updated: timestamp(3),
                        acl: acl.span,
                        document: document.span,
                        to: &output
                    )
                }
            }
        }
    }
}

extension AccountLookup {
    /// Adds the account's private fields to the user's JSON that `output` ends with, if `policy`'s
    /// principal is the user or the administrator (rulings 13).
    func appendPrivateFields(
        of row: Int64,
        _ id: Text,
        _ policy: AccessPolicy,
        to output: inout [UInt8]
    ) throws(SQLiteFailure) {
        guard policy.principal.isAdministrator || policy.principal.userID == id,
            let account = try account(row: row)
        else { return }
        output.removeLast()
        account.appendPrivateFields(to: &output)
        output.append(0x7D)
    }
}

extension UserAccount {
    /// Appends `,"mailAddress":…,"mailAddressConfirm":…,"authData":…`, null what is not set.
    fileprivate func appendPrivateFields(to output: inout [UInt8]) {
        JSONWriter.append(literal: ",\"mailAddress\":", to: &output)
        if let mailAddress {
            JSONWriter.append(string: mailAddress, to: &output)
        } else {
            JSONWriter.append(literal: "null", to: &output)
        }
        JSONWriter.append(literal: ",\"mailAddressConfirm\":", to: &output)
        switch isMailAddressConfirmed {
        case true?: JSONWriter.append(literal: "true", to: &output)
        case false?: JSONWriter.append(literal: "false", to: &output)
        case nil: JSONWriter.append(literal: "null", to: &output)
        }
        JSONWriter.append(literal: ",\"authData\":", to: &output)
        appendAuthData(to: &output)
    }
}
