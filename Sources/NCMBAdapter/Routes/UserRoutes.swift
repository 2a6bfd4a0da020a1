import Backend
import EventLoops
import HTTPServer
import HatoWire
import ObjectModel

/// Users and their sessions: `/users`, `/users/{id}`, `/login`, `/logout` (ncmb-rest §11.2, 11.3).
extension NCMBRoutes {
    func registerUsers(on router: inout Router) {
        let collection = NCMBRoutes.prefix + "/users"
        let user = collection + "/{id}"
        router.on([.post], collection, .async { await signUp($0) })
        router.on([.get], collection, .async { await listUsers($0) })
        router.on([.get], user, .sync { getUser($0) })
        router.on([.put], user, .async { await updateUser($0) })
        router.on([.delete], user, .async { await deleteUser($0) })
        router.on([.post], NCMBRoutes.prefix + "/login", .async { await logInByBody($0) })
        router.on([.get], NCMBRoutes.prefix + "/login", .async { await logInByQuery($0) })
        router.on([.get], NCMBRoutes.prefix + "/logout", .async { await logOut($0) })
    }

    private func signUp(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context, session: .ignored)
            let draft = try userDraft(context)
            let users = try users(caller, context)
            let signedIn = try await users.signUp(draft)
            guard signedIn.isNew else { return try loggedIn(signedIn, users) }
            return draft.authData == nil
                ? SignInAnswer.signedUp(signedIn) : SignInAnswer.signedUpByProvider(signedIn)
        }
    }

    private func listUsers(_ context: RequestContext) async -> Response {
        await answer { try await list(.user, caller(context), context) }
    }

    private func getUser(_ context: RequestContext) -> Response {
        answer {
            let caller = try caller(context)
            return try get(.user, NCMBRoutes.objectID(context, at: 0), caller, context)
        }
    }

    private func updateUser(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context)
            let id = try NCMBRoutes.objectID(context, at: 0)
            let draft = try userDraft(context)
            let moment = try await users(caller, context)
                .update(id, draft, by: caller.principal, keptTokenHash: caller.sessionTokenHash)
            return Answer.updated(moment)
        }
    }

    private func deleteUser(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context)
            let id = try NCMBRoutes.objectID(context, at: 0)
            try await users(caller, context).delete(id, by: caller.principal)
            return Answer.empty()
        }
    }

    private func logInByBody(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context, session: .ignored)
            let login = try LoginParser.parse(body(context))
            return try await logIn(login, caller, context)
        }
    }

    /// The older SDKs' and ncmb_deno's form: `GET /login?password=…&userName=…`.
    private func logInByQuery(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context, session: .ignored)
            let login = try LoginParser.parse(QueryParameters(context.request.rawQuery))
            return try await logIn(login, caller, context)
        }
    }

    private func logIn(
        _ login: LoginParser.Login,
        _ caller: Authenticator.Caller,
        _ context: RequestContext
    ) async throws -> Response {
        let users = try users(caller, context)
        let signedIn = try await users.logIn(
            login.name,
            password: login.password,
            network: Text(context.peer.network),
            now: NCMBRoutes.now(context)
        )
        return try loggedIn(signedIn, users)
    }

    private func loggedIn(
        _ signedIn: UserService.SignedIn,
        _ users: UserService
    ) throws(DomainError) -> Response {
        var user: [UInt8] = []
        try users.append(signedIn, to: &user)
        return SignInAnswer.loggedIn(user, token: signedIn.token)
    }

    private func logOut(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context)
            guard let hash = caller.sessionTokenHash else { throw DomainError(.unauthenticated) }
            try await users(caller, context).logOut(tokenHash: hash)
            return Answer.empty()
        }
    }

    private func userDraft(_ context: RequestContext) throws -> UserDraft {
        try UserBodyParser.parse(body(context), limits: limits)
    }

    private func users(
        _ caller: Authenticator.Caller,
        _ context: RequestContext
    ) throws(DomainError) -> UserService {
        try services.users(of: caller.application, loopIndex: context.loop.index)
    }
}
