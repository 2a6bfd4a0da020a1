import EventLoops
import HatoWire

extension HTTPSession {
    /// What must be known of a request to write its answer, after the request is gone.
    struct Terms: Sendable {
        let isHead: Bool
        let isOldVersion: Bool
        let keepsAlive: Bool
        let hasOrigin: Bool

        init(_ request: borrowing HTTPRequest) {
            isHead = request.method == .head
            isOldVersion = request.minorVersion == 0
            keepsAlive = request.keepsAlive
            hasOrigin = request.hasOrigin
        }
    }

    /// Finds the handler for a whole request and runs it.
    func answer(_ request: borrowing HTTPRequest, on connection: Connection) {
        let terms = Terms(request)
        guard let match = shared.match(request) else {
            answerWithoutRoute(copy request, terms, connection)
            return
        }
        guard let route = shared.route(for: request, at: match.node) else {
            answerWithoutMethod(copy request, at: match.node, terms, connection)
            return
        }
        let context = RequestContext(
            request: copy request,
            parameters: match.parameters,
            loop: shared.loop,
            peer: connection.peer,
            isSecure: connection.isSecure
        )
        run(route, context, terms, connection)
    }

    private func answerWithoutMethod(
        _ request: HTTPRequest,
        at node: Int,
        _ terms: Terms,
        _ connection: Connection
    ) {
        guard request.method != .options else {
            write(preflight(request, at: node), terms, connection)
            return
        }
        var response = failure(405, "The method is not allowed here.")
        response.headers.append(("Allow", shared.router.allowedMethods(at: node)))
        if shared.router.nodes[node].allowsCredentials, let origin = request.text("origin") {
            response.allowCredentials(origin: origin)
        }
        write(response, terms, connection)
    }

    private func answerWithoutRoute(
        _ request: HTTPRequest,
        _ terms: Terms,
        _ connection: Connection
    ) {
        let isWhole = request.path.count == 1 && request.head[request.path.lowerBound] == 0x2A
        if isWhole, request.method == .options {
            write(preflight(request, at: nil), terms, connection)
        } else if request.method == .connect || request.method == .trace {
            write(failure(501, "The method is not implemented."), terms, connection)
        } else {
            write(failure(404, "There is nothing here."), terms, connection)
        }
    }

    private func run(
        _ route: Router.Route,
        _ context: RequestContext,
        _ terms: Terms,
        _ connection: Connection
    ) {
        switch route.handler {
        case .sync(let handler):
            var response = handler(context)
            if let policy = shared.configuration.gzip {
                guard !policy.needsWorker(response) else {
                    let response = response
                    answerLater(context, { _ in response }, terms, connection)
                    return
                }
                if response.varies(by: policy, for: context.request) {
                    response.replaceBody(gzip: shared.gzip(response.body))
                }
            }
            write(response, terms, connection)
        case .async(let handler):
            answerLater(context, handler, terms, connection)
        case .webSocket(let decide):
            upgrade(context, decide, terms, connection)
        }
    }

    private func answerLater(
        _ context: RequestContext,
        _ handler: @escaping @Sendable (RequestContext) async -> Response,
        _ terms: Terms,
        _ connection: Connection
    ) {
        flags.insert(.inFlight)
        connection.clearDeadline()
        let session = LoopBound(self, on: shared.loop)
        let policy = shared.configuration.gzip
        let task = Task.immediate(executorPreference: shared.loop) {
            var response = await handler(context)
            if let policy, response.varies(by: policy, for: context.request) {
                let packed =
                    policy.needsWorker(response)
                    ? await policy.pack(response, on: session.value.shared.loop)
                    : session.value.shared.gzip(response.body)
                response.replaceBody(gzip: packed)
            }
            session.value.finish(response, terms, connection)
        }
        // One that never waited has finished already.
        if flags.contains(.inFlight) {
            taskInFlight = task
        }
    }

    private func finish(_ response: Response, _ terms: Terms, _ connection: Connection) {
        flags.remove(.inFlight)
        taskInFlight = nil
        guard connection.isOpen else { return }
        write(response, terms, connection)
        if !flags.contains(.consuming) {
            proceed(on: connection)
        }
    }

    private func upgrade(
        _ context: RequestContext,
        _ decide: @Sendable (RequestContext) -> WebSocketDecision,
        _ terms: Terms,
        _ connection: Connection
    ) {
        let acceptKey: String
        switch WebSocketHandshake.check(context.request) {
        case .refuse(let refusal):
            var response = failure(refusal.status, "This is no WebSocket handshake.")
            for field in refusal.fields {
                response.headers.append((field.name.description, field.value.description))
            }
            write(response, terms, connection)
            return
        case .accept(let key):
            acceptKey = key
        }
        switch decide(context) {
        case .refuse(let response):
            write(response, terms, connection)
        case .accept(let options, let handler):
            let compression: PerMessageDeflate?
            switch options.allowsCompression
                ? PerMessageDeflate.negotiate(context.request) : .declined
            {
            case .agreed(let agreement): compression = agreement
            case .declined: compression = nil
            case .malformed:
                write(failure(400, "The extensions cannot be read."), terms, connection)
                return
            }
            var bytes = shared.takeScratch()
            defer { shared.giveBack(scratch: &bytes) }
            guard
                WebSocketHandshake.appendAcceptance(
                    acceptKey: acceptKey,
                    subprotocol: options.subprotocol,
                    compression: compression,
                    to: &bytes
                )
            else {
                write(failure(500, "The subprotocol cannot be confirmed."), terms, connection)
                return
            }
            connection.send(copying: bytes.span)
            flags.insert(.upgraded)
            let socket = WebSocket(
                connection: connection,
                shared: shared,
                options: options,
                compression: compression,
                handler: handler
            )
            connection.handler = socket
            socket.open(isStopping: flags.contains(.stopping))
        }
    }

    // MARK: Answers that no handler makes

    private func failure(_ status: Int, _ reason: String) -> Response {
        shared.configuration.renderFailure(RequestFailure(status: status, reason: reason))
    }

    /// Answers a message that can't be read and closes: what follows it can't be trusted.
    func refuse(status: Int, reason: String, _ connection: Connection) {
        var response = failure(status, reason)
        response.closesConnection = true
        let terms = HTTPLoop.HeadTerms(closes: true, keptAlive: false, hasOrigin: false)
        shared.send(response, terms, carriesBody: true, on: connection)
        connection.close()
    }

    private func preflight(_ request: HTTPRequest, at node: Int?) -> Response {
        let methods = shared.router.allowedMethods(at: node)
        var response = Response(status: 204, headers: [("Allow", methods)])
        guard let policy = shared.configuration.crossOrigin,
            request.value("access-control-request-method") != nil
        else { return response }
        response.headers.append(("Access-Control-Allow-Methods", methods))
        if let asked = request.text("access-control-request-headers") {
            response.headers.append(("Access-Control-Allow-Headers", asked))
        }
        response.headers.append(("Access-Control-Max-Age", String(policy.maxAgeSeconds)))
        return response
    }

    // MARK: Writing

    private func write(_ response: Response, _ terms: Terms, _ connection: Connection) {
        let closes = response.closesConnection || !terms.keepsAlive || flags.contains(.stopping)
        let head = HTTPLoop.HeadTerms(
            closes: closes,
            keptAlive: terms.isOldVersion && !closes,
            hasOrigin: terms.hasOrigin
        )
        let carriesBody = !terms.isHead && response.status != 204 && response.status != 304
        shared.send(response, head, carriesBody: carriesBody, on: connection)
        if closes {
            connection.close()
        }
    }
}
