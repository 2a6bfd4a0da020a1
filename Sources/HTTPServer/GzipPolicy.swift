import Compression
package import EventLoops

/// Which answers leave as gzip, and which thread packs them.
///
/// Of an answer that says that it may (`Response.mayBeCompressed`); every other one leaves as it is.
package struct GzipPolicy: Sendable {
    /// Shorter bodies leave as they are: they fit a packet anyway.
    package var leastBytes = 1_024
    /// Longer bodies are packed by `workers`; up to here it takes a loop about as long as 50 µs.
    package var loopBytes = 16_384
    /// For long bodies; when its queue is full or answers hold much they leave as they are.
    package let workers: WorkerPool

    package init(workers: WorkerPool) {
        self.workers = workers
    }

    /// Whether the answer depends on what the client accepts.
    func applies(to response: borrowing Response) -> Bool {
        response.mayBeCompressed && response.status == 200 && response.body.count >= leastBytes
    }

    /// Whether packing the answer is nothing for a loop.
    func needsWorker(_ response: borrowing Response) -> Bool {
        applies(to: response) && response.body.count > loopBytes
    }

    /// Returns the body packed by a worker; nil when it shall leave as it is.
    ///
    /// When answers hold much, one that waits to be packed would keep room that is wanted; one that is
    /// sent is read or dropped.
    func pack(_ response: Response, on loop: EventLoop) async -> [UInt8]? {
        guard !loop.areAnswersPastMark else { return nil }
        let body = response.body
        do {
            return try await workers.run { _ in
                // Without memory for it the answer is as good as it is.
                (try? GzipEncoder())?.encode(body.span)
            }
        } catch {
            return nil
        }
    }
}
