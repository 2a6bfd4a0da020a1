import Backend
import EventLoops
import HTTPServer
import HatoWire
import ObjectModel

/// The data store: `/classes/{class}` and `/classes/{class}/{id}` (ncmb-rest §11.1).
extension NCMBRoutes {
    func registerObjects(on router: inout Router) {
        let collection = NCMBRoutes.prefix + "/classes/{class}"
        let object = collection + "/{id}"
        router.on([.post], collection, .async { await create($0) })
        router.on([.get], collection, .async { await list($0) })
        router.on([.get], object, .sync { get($0) })
        router.on([.put], object, .async { await update($0) })
        router.on([.delete], object, .async { await delete($0) })
    }

    private func create(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context)
            let className = try className(context)
            let draft = try ObjectDraft.decode(body(context), limits: limits)
            let created = try await objects(caller, context)
                .create(className, draft.changes, acl: draft.acl, by: caller.principal)
            return Answer.created(created)
        }
    }

    private func list(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context)
            return try await list(className(context), caller, context)
        }
    }

    func list(
        _ className: ClassName,
        _ caller: Authenticator.Caller,
        _ context: RequestContext
    ) async throws -> Response {
        let parameters = try QueryParameters(context.request.rawQuery)
        let query = try ListQueryParser(
            className: className,
            limits: queryLimits,
            patterns: patterns
        )
        .parse(parameters)
        let list = try await objects(caller, context)
            .list(query, in: Answer.results, as: caller.principal)
        var response = Answer.objects(list.json, of: className, readBy: caller.principal)
        response.room = list.room
        return response
    }

    private func get(_ context: RequestContext) -> Response {
        answer {
            let caller = try caller(context)
            return try get(className(context), NCMBRoutes.objectID(context, at: 1), caller, context)
        }
    }

    func get(
        _ className: ClassName,
        _ id: Text,
        _ caller: Authenticator.Caller,
        _ context: RequestContext
    ) throws -> Response {
        var body: [UInt8] = []
        try objects(caller, context).append(className, id, as: caller.principal, to: &body)
        return Answer.objects(body, of: className, readBy: caller.principal)
    }

    private func update(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context)
            let className = try className(context)
            let id = try NCMBRoutes.objectID(context, at: 1)
            let draft = try ObjectDraft.decode(body(context), limits: limits)
            let moment = try await objects(caller, context)
                .update(className, id, draft.changes, acl: draft.acl, by: caller.principal)
            return Answer.updated(moment)
        }
    }

    private func delete(_ context: RequestContext) async -> Response {
        await answer {
            let caller = try caller(context)
            let className = try className(context)
            let id = try NCMBRoutes.objectID(context, at: 1)
            try await objects(caller, context).delete(className, id, by: caller.principal)
            return Answer.empty()
        }
    }

    private func className(_ context: RequestContext) throws(DomainError) -> ClassName {
        try ClassName(dataStore: Text(context.parameter(0)))
    }

    private func objects(
        _ caller: Authenticator.Caller,
        _ context: RequestContext
    ) throws(DomainError) -> ObjectService {
        try services.objects(of: caller.application, loopIndex: context.loop.index)
    }
}
