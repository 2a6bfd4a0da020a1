import Backend
import HatoWire
import HTTPServer
import ObjectModel

/// The answers to a sign-up and to a login: the only ones that carry a session's token.
///
/// Never a password, a hash, or a provider's secrets beyond what the user itself sent.
enum SignInAnswer {
    /// `POST /users` that made a user with name and password (ncmb-rest §11.2):
    /// `createDate, objectId, sessionToken, userName, authData`.
    static func signedUp(_ signedIn: UserService.SignedIn) -> Response {
        var body: [UInt8] = []
        appendMetadata(signedIn, to: &body)
        JSONWriter.append(literal: #","sessionToken":"#, to: &body)
        JSONWriter.append(string: signedIn.token, to: &body)
        JSONWriter.append(literal: #","userName":"#, to: &body)
        JSONWriter.append(string: signedIn.account.userName, to: &body)
        JSONWriter.append(literal: #","authData":"#, to: &body)
        signedIn.account.appendAuthData(to: &body)
        body.append(0x7D)
        return Answer.json(201, body)
    }

    /// `POST /users` with a provider that made a user:
    /// `createDate, objectId, userName, authData, mailAddress, mailAddressConfirm, sessionToken,
    /// updateDate`.
    static func signedUpByProvider(_ signedIn: UserService.SignedIn) -> Response {
        let account = signedIn.account
        var body: [UInt8] = []
        appendMetadata(signedIn, to: &body)
        JSONWriter.append(literal: #","userName":"#, to: &body)
        JSONWriter.append(string: account.userName, to: &body)
        JSONWriter.append(literal: #","authData":"#, to: &body)
        account.appendAuthData(to: &body)
        JSONWriter.append(literal: #","mailAddress":"#, to: &body)
        JSONWriter.append(account.mailAddress.map { .string($0) } ?? .null, to: &body)
        // NCMB says false here even without an address.
        JSONWriter.append(literal: #","mailAddressConfirm":"#, to: &body)
        JSONWriter.append(.bool(account.isMailAddressConfirmed ?? false), to: &body)
        JSONWriter.append(literal: #","sessionToken":"#, to: &body)
        JSONWriter.append(string: signedIn.token, to: &body)
        JSONWriter.append(literal: #","updateDate":""#, to: &body)
        account.object.updated.append(to: &body)
        JSONWriter.append(literal: #""}"#, to: &body)
        return Answer.json(201, body)
    }

    /// A login: the whole user, its own fields and ACL included, because SDKs replace their current
    /// user by it; the account's fields are null when unset.
    ///
    /// `user` is the user's JSON object as its owner reads it.
    static func loggedIn(_ user: [UInt8], token: Text) -> Response {
        var body = user
        // Opened again for one more member: it ends with `}` and is never empty.
        body.removeLast()
        JSONWriter.append(literal: #","sessionToken":"#, to: &body)
        JSONWriter.append(string: token, to: &body)
        body.append(0x7D)
        return Answer.json(200, body)
    }

    private static func appendMetadata(_ signedIn: UserService.SignedIn, to body: inout [UInt8]) {
        JSONWriter.append(literal: #"{"createDate":""#, to: &body)
        signedIn.account.object.created.append(to: &body)
        JSONWriter.append(literal: #"","objectId":"#, to: &body)
        JSONWriter.append(string: signedIn.account.object.id, to: &body)
    }
}
