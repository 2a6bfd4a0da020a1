package import Backend
import EventLoops
package import HTTPServer
import HatoWire
package import ObjectModel

/// NCMB's REST protocol under `/2013-09-01`: users, sessions and the data store.
///
/// Each handler reads the request, makes one call of the backend, and writes the answer. Reads by id
/// are answered on the loop; all else suspends.
package struct NCMBRoutes: Sendable {
    package static let prefix = "/2013-09-01"

    let services: BackendServices
    let authenticator: Authenticator
    let limits: DocumentLimits
    let queryLimits: QueryLimits
    let patterns = PatternCache()
    private let report: @Sendable (DomainError) -> Void

    /// Takes what the routes stand on.
    ///
    /// `limits` must be the store's own, or one of the two refuses what the other lets through;
    /// `report` is told of errors that are ours (`system`, `unavailable`), for the log.
    package init(
        services: BackendServices,
        verifier: SignatureVerifier = SignatureVerifier(),
        limits: DocumentLimits = DocumentLimits(),
        queryLimits: QueryLimits = QueryLimits(),
        report: @escaping @Sendable (DomainError) -> Void
    ) {
        self.services = services
        self.authenticator = Authenticator(services: services, verifier: verifier)
        self.limits = limits
        self.queryLimits = queryLimits
        self.report = report
    }

    package func register(on router: inout Router) {
        registerObjects(on: &router)
        registerUsers(on: &router)
    }

    /// Renders a failure below the routes: no such path, wrong method, a message that is no HTTP.
    package static func response(to failure: RequestFailure) -> Response {
        Answer.error(NCMBError(httpStatus: failure.status))
    }
}

// MARK: - What all handlers share

extension NCMBRoutes {
    func caller(
        _ context: RequestContext,
        session: Authenticator.SessionUse = .checked
    ) throws(NCMBError) -> Authenticator.Caller {
        try authenticator.caller(
            of: context.request,
            session: session,
            loopIndex: context.loop.index,
            now: NCMBRoutes.now(context)
        )
    }

    /// Returns the JSON object that the request's body is.
    func body(_ context: RequestContext) throws(NCMBError) -> JSONObject {
        try RequestBody.object(of: context.request, limits: limits)
    }

    static func now(_ context: RequestContext) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: context.loop.now.wallMilliseconds)
    }

    /// Returns the handler's answer, or its error's.
    func answer(_ body: () throws -> Response) -> Response {
        do {
            return try body()
        } catch {
            return answer(to: error)
        }
    }

    func answer(_ body: () async throws -> Response) async -> Response {
        do {
            return try await body()
        } catch {
            return answer(to: error)
        }
    }

    private func answer(to error: any Error) -> Response {
        switch error {
        case let error as NCMBError: return Answer.error(error)
        case let error as DomainError:
            switch error.code {
            case .system, .unavailable: report(error)
            case .malformedJSON, .invalidType, .empty, .invalidFormat, .invalidValue,
                .unauthenticated, .wrongPassword, .forbidden, .prohibited, .notEnabled,
                .invalidGeoPoint, .notFound, .duplicate, .documentTooLarge, .tooManyRequests:
                break
            }
            return Answer.error(NCMBError(error))
        default:
            let unforeseen = DomainError(.system, cause: "\(type(of: error))")
            report(unforeseen)
            return Answer.error(NCMBError(unforeseen))
        }
    }

    /// Returns the id that a path names.
    ///
    /// Errors: `notFound` for a text that no object has as its id (rulings 25).
    static func objectID(_ context: RequestContext, at position: Int) throws(DomainError) -> Text {
        let id = Text(context.parameter(position))
        guard ObjectID.isValid(id) else { throw DomainError(.notFound) }
        return id
    }
}
