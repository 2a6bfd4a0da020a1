import EventLoops
import HatoWire

extension HTTPLoop {
    /// What an answer's head says that is not the response's own.
    struct HeadTerms: Equatable {
        /// Says to the client that the connection ends.
        let closes: Bool
        /// Says that an HTTP/1.0 connection stays.
        let keptAlive: Bool
        /// A page of another origin may read it.
        let hasOrigin: Bool
    }

    /// Queues an answer: head and small body in one piece, a large body without a copy and with the room
    /// that was taken for it.
    func send(
        _ response: borrowing Response,
        _ terms: HeadTerms,
        carriesBody: Bool,
        on connection: Connection
    ) {
        renderedHead.render(
            response,
            terms,
            configuration.crossOrigin,
            seconds: loop.now.wallMilliseconds / 1_000
        )
        let isGathered = response.body.count <= configuration.gatheredBodyBytes
        if carriesBody, isGathered {
            renderedHead.send(with: response.body.span, on: connection)
        } else {
            renderedHead.send(with: Span(), on: connection)
            if carriesBody {
                connection.send(body: response.body, insteadOf: response.room)
            }
        }
    }
}
