import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import SQLiteStorage

@Suite("Users in SQLite")
struct UserTests {
    private func session(_ token: UInt8, _ kind: NewSession.Kind = .password) -> NewSession {
        NewSession(
            tokenHash: Array(repeating: token, count: 32),
            kind: kind,
            lifetimeMilliseconds: 60_000
        )
    }

    private func signUp(
        _ room: StoreRoom,
        _ userName: Text?,
        token: UInt8 = 1,
        mailAddress: Text? = nil,
        changes: [FieldChange] = []
    ) async throws -> UserAccount {
        let signUp = SignUp(
            userName: userName,
            passwordHash: "hash-1",
            mailAddress: mailAddress,
            changes: changes,
            session: session(token)
        )
        guard case .signedIn(let account, true) = try await room.store.commit(.signUp(signUp))
        else {
            throw TestFailure.malformed("no new account")
        }
        return account
    }

    private func user(_ room: StoreRoom, _ token: UInt8) throws -> Text? {
        try room.store.reader(onLoop: 0)
            .session(tokenHash: session(token).tokenHash, now: room.clock.now)?.userID
    }

    @Test("a sign-up makes object, account and session, readable by its own rules")
    func signsUp() async throws {
        let room = try StoreRoom()
        let display = FieldChange(name: "displayName", operation: .set(.text("Hato")))
        let account = try await signUp(room, "ann", mailAddress: "Ann@x.org", changes: [display])
        let id = account.object.id

        #expect(account.userName == "ann")
        #expect(account.isMailAddressConfirmed == false)
        #expect(try user(room, 1) == id)
        let acl = #"{"*":{"read":true},"\#(id)":{"read":true,"write":true}}"#
        let shown = try #require(try room.read(.user, id, as: .user("somebody")))
        #expect(shown.hasSuffix(#""acl":\#(acl),"userName":"ann","displayName":"Hato"}"#))
        let own = try #require(try room.read(.user, id, as: .user(id)))
        #expect(
            own.hasSuffix(
                #""displayName":"Hato","mailAddress":"Ann@x.org","mailAddressConfirm":false,"authData":null}"#
            )
        )
        let reader = try room.store.reader(onLoop: 0)
        #expect(try reader.account(userName: "ann")?.object.id == id)
        #expect(try reader.account(userName: "Ann") == nil)
        #expect(try reader.account(mailAddress: "ann@X.org")?.passwordHash == "hash-1")
        #expect(try reader.account(id: id)?.userName == "ann")
        let list = try await room.store.list(Query(className: .user), as: .stranger)
        #expect(!String(decoding: list.json, as: UTF8.self).contains("mailAddress"))
    }

    @Test("names are unique by bytes, mail addresses without regard to ASCII case")
    func refusesDuplicates() async throws {
        let room = try StoreRoom()
        _ = try await signUp(room, "e\u{301}", mailAddress: "a@b.c")
        _ = try await signUp(room, "\u{E9}", token: 2)
        await #expect(throws: DomainError(.duplicate, "userName")) {
            try await signUp(room, "\u{E9}", token: 3)
        }
        await #expect(throws: DomainError(.duplicate, "mailAddress")) {
            try await signUp(room, "new", token: 3, mailAddress: "A@B.C")
        }
        // A refusal left nothing behind.
        #expect(try user(room, 3) == nil)
        let drawn = try await signUp(room, nil, token: 3)
        #expect(drawn.userName.utf8.count == 10)
        #expect(try room.read(.user, drawn.object.id)?.contains(drawn.userName.string) == true)
    }

    @Test("of fifty sign-ups with one name at once, one succeeds")
    func racesForAName() async throws {
        let room = try StoreRoom()
        let successes = await withTaskGroup(of: Bool.self) { group in
            for token in 0..<50 {
                group.addTask {
                    (try? await self.signUp(room, "one", token: UInt8(token))) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1)
    }

    @Test("a provider's id signs up once and in afterwards, with its newest data")
    func signsUpOrIn() async throws {
        let room = try StoreRoom()
        func enter(_ json: String, token: UInt8) async throws -> (UserAccount, Bool) {
            let data = AuthData(provider: "anonymous", providerID: "uuid", json: Array(json.utf8))
            let signUp = SignUp(authData: [data], changes: [], session: session(token, .anonymous))
            let outcome = try await room.store.commit(
                .signUpOrIn(signUp, provider: "anonymous", providerID: "uuid")
            )
            guard case .signedIn(let account, let isNew) = outcome else {
                throw TestFailure.malformed("no account")
            }
            return (account, isNew)
        }
        let (first, isFirstNew) = try await enter(#"{"id":"uuid"}"#, token: 1)
        let (second, isSecondNew) = try await enter(#"{"id":"uuid","t":2}"#, token: 2)
        #expect(isFirstNew && !isSecondNew)
        #expect(first.object.id == second.object.id)
        #expect(second.authData.map(\.json) == [Array(#"{"id":"uuid","t":2}"#.utf8)])
        let record = try room.store.reader(onLoop: 0)
            .session(tokenHash: session(2).tokenHash, now: room.clock.now)
        #expect(record?.kind == .anonymous)
        let own = try room.read(.user, first.object.id, as: .user(first.object.id))
        #expect(own?.hasSuffix(#""authData":{"anonymous":{"id":"uuid","t":2}}}"#) == true)
    }

    @Test("a login opens a session only while the proven hash is the account's")
    func opensSessions() async throws {
        let room = try StoreRoom()
        let id = try await signUp(room, "ann").object.id
        func login(_ hash: Text, token: UInt8) async throws {
            _ = try await room.store.commit(
                .openSession(userID: id, session: session(token), provenHash: hash)
            )
        }
        try await login("hash-1", token: 2)
        #expect(try user(room, 2) == id)
        await #expect(throws: DomainError(.wrongPassword)) { try await login("hash-0", token: 3) }
        await #expect(throws: DomainError(.wrongPassword)) {
            try await room.store.commit(
                .openSession(userID: "nobody", session: session(3), provenHash: "hash-1")
            )
        }
        #expect(try user(room, 3) == nil)
        _ = try await room.store.commit(.closeSession(tokenHash: session(2).tokenHash))
        #expect(try user(room, 2) == nil)
        #expect(try user(room, 1) == id)
    }

    @Test("a session ends to the millisecond and is removed in time")
    func expires() async throws {
        let room = try StoreRoom()
        let id = try await signUp(room, "ann").object.id
        room.clock.advance(milliseconds: 59_999)
        #expect(try user(room, 1) == id)
        room.clock.advance(milliseconds: 1)
        #expect(try user(room, 1) == nil)
    }

    @Test("a new password ends every session but the one that set it")
    func changesPassword() async throws {
        let room = try StoreRoom()
        let id = try await signUp(room, "ann").object.id
        for token in UInt8(2)...3 {
            _ = try await room.store.commit(
                .openSession(userID: id, session: session(token), provenHash: "hash-1")
            )
        }
        let other = try await signUp(room, "bob", token: 9).object.id
        var update = UserUpdate(id: id, principal: .user(id))
        update.passwordHash = "hash-2"
        update.keptTokenHash = session(2).tokenHash
        _ = try await room.store.commit(.updateUser(update))

        #expect(try user(room, 1) == nil)
        #expect(try user(room, 2) == id)
        #expect(try user(room, 3) == nil)
        #expect(try user(room, 9) == other)
        await #expect(throws: DomainError(.wrongPassword)) {
            try await room.store.commit(
                .openSession(userID: id, session: session(4), provenHash: "hash-1")
            )
        }
        update.keptTokenHash = nil
        _ = try await room.store.commit(.updateUser(update))
        #expect(try user(room, 2) == nil)
    }

    @Test("account fields change by their own way only, and only by owner or administrator")
    func updates() async throws {
        let room = try StoreRoom()
        let id = try await signUp(room, "ann", mailAddress: "a@b.c").object.id
        _ = try await signUp(room, "bob", token: 2, mailAddress: "b@b.c")

        let forged = [
            FieldChange(name: "userName", operation: .set(.text("root"))),
            FieldChange(name: "mailAddress", operation: .set(.text("x@y.z"))),
            FieldChange(name: "age", operation: .set(.int(3))),
        ]
        let plain = UserUpdate(id: id, principal: .user(id), changes: forged)
        _ = try await room.store.commit(.updateUser(plain))
        #expect(try room.read(.user, id)?.hasSuffix(#""userName":"ann","age":3}"#) == true)

        await #expect(throws: DomainError(.forbidden)) {
            try await room.store.commit(
                .updateUser(UserUpdate(id: id, principal: .user("bob"), changes: forged))
            )
        }
        var rename = UserUpdate(id: id, principal: .user(id))
        rename.userName = "bob"
        await #expect(throws: DomainError(.duplicate, "userName")) {
            try await room.store.commit(.updateUser(rename))
        }
        rename.userName = "anna"
        rename.mailAddress = .some(nil)
        _ = try await room.store.commit(.updateUser(rename))
        let own = try room.read(.user, id, as: .user(id))
        #expect(own?.contains(#""userName":"anna","age":3,"mailAddress":null,"#) == true)
        #expect(try room.store.reader(onLoop: 0).account(userName: "ann") == nil)
        #expect(try room.store.reader(onLoop: 0).account(mailAddress: "a@b.c") == nil)
    }

    @Test("who may write a user's object changes its fields, never its account")
    func refusesAccountToOthers() async throws {
        let room = try StoreRoom()
        let id = try await signUp(room, "ann").object.id
        var update = UserUpdate(id: id, principal: .user(id), acl: .only(Text(id.string), "editor"))
        _ = try await room.store.commit(.updateUser(update))
        update = UserUpdate(
            id: id,
            principal: .user("editor"),
            changes: [FieldChange(name: "note", operation: .set(.text("hi")))]
        )
        _ = try await room.store.commit(.updateUser(update))
        update.passwordHash = "hash-stolen"
        await #expect(throws: DomainError(.forbidden)) {
            try await room.store.commit(.updateUser(update))
        }
        update.principal = .administrator
        _ = try await room.store.commit(.updateUser(update))
        #expect(try room.store.reader(onLoop: 0).account(id: id)?.passwordHash == "hash-stolen")
    }

    @Test("a user whom its own ACL shuts out changes its account and nothing else")
    func shutOutOwner() async throws {
        let room = try StoreRoom()
        let id = try await signUp(room, "ann").object.id
        let shut = UserUpdate(id: id, principal: .administrator, acl: ACL())
        _ = try await room.store.commit(.updateUser(shut))
        var update = UserUpdate(id: id, principal: .user(id))
        await #expect(throws: DomainError(.forbidden)) {
            try await room.store.commit(.updateUser(update))
        }
        update.passwordHash = "hash-2"
        update.userName = "anna"
        _ = try await room.store.commit(.updateUser(update))
        let account = try room.store.reader(onLoop: 0).account(id: id)
        #expect(account?.passwordHash == "hash-2")
        #expect(account?.userName == "anna")
        update.acl = .everybody
        await #expect(throws: DomainError(.forbidden)) {
            try await room.store.commit(.updateUser(update))
        }
    }

    @Test("a deleted user is gone with account, providers and sessions; its names are free")
    func deletes() async throws {
        let room = try StoreRoom()
        let id = try await signUp(room, "ann", mailAddress: "a@b.c").object.id
        await #expect(throws: DomainError(.forbidden)) {
            try await room.store.commit(.deleteUser(id: id, by: .user("other")))
        }
        _ = try await room.store.commit(.deleteUser(id: id, by: .user(id)))
        #expect(try room.read(.user, id, as: .administrator) == nil)
        #expect(try user(room, 1) == nil)
        #expect(try room.store.reader(onLoop: 0).account(id: id) == nil)
        let again = try await signUp(room, "ann", token: 2, mailAddress: "a@b.c")
        #expect(again.object.id != id)
    }
}
