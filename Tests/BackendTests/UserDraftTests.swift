import HatoWire
import ObjectModel
import Testing

@testable import Backend

@Suite("UserDraft")
struct UserDraftTests {
    @Test("accepts account fields up to their limits")
    func accepts() throws {
        let drafts = [
            UserDraft(),
            UserDraft(userName: "山田 太郎", password: "p", mailAddress: "a@b"),
            UserDraft(userName: Text(String(repeating: "u", count: 256))),
            UserDraft(password: Text(String(repeating: "p", count: 1_024))),
            UserDraft(mailAddress: Text(String(repeating: "m", count: 252) + "@h")),
            UserDraft(mailAddress: .some(nil)),
        ]
        for draft in drafts { try draft.checkAccount() }
    }

    @Test(
        "refuses account fields by name",
        arguments: [
            (UserDraft(userName: ""), DomainError(.empty, "userName")),
            (UserDraft(userName: "a\nb"), DomainError(.invalidFormat, "userName")),
            (UserDraft(userName: "a\u{7F}"), DomainError(.invalidFormat, "userName")),
            (
                UserDraft(userName: Text(String(repeating: "u", count: 257))),
                DomainError(.invalidFormat, "userName")
            ),
            (UserDraft(password: ""), DomainError(.empty, "password")),
            (
                UserDraft(password: Text(String(repeating: "p", count: 1_025))),
                DomainError(.invalidValue, "password")
            ),
            (UserDraft(mailAddress: ""), DomainError(.empty, "mailAddress")),
            (UserDraft(mailAddress: "a"), DomainError(.invalidFormat, "mailAddress")),
            (UserDraft(mailAddress: "@b"), DomainError(.invalidFormat, "mailAddress")),
            (UserDraft(mailAddress: "a@"), DomainError(.invalidFormat, "mailAddress")),
            (UserDraft(mailAddress: "a b@c"), DomainError(.invalidFormat, "mailAddress")),
            (
                UserDraft(mailAddress: "a@b\r\nBcc: c@d"),
                DomainError(.invalidFormat, "mailAddress")
            ),
            (
                UserDraft(mailAddress: Text(String(repeating: "m", count: 253) + "@h")),
                DomainError(.invalidFormat, "mailAddress")
            ),
        ]
    )
    func refuses(draft: UserDraft, error: DomainError) {
        #expect(throws: error) { try draft.checkAccount() }
    }
}
