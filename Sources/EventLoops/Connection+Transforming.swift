/// What stands behind a transform: small pieces are transformed when they are sent, large frames as the socket
/// takes them, so that neither a turn nor memory is spent on what may never be read.
extension Connection {
    /// Up to here a head and its body are joined and encoded as one, which costs the peer and us less
    /// than two; and up to here what is encoded takes its way through the loop's arena.
    private static let joinedBytes = 16_384

    func encode(
        _ bytes: Span<UInt8>,
        _ more: Span<UInt8>,
        by transform: any ByteTransform
    ) -> Bool {
        guard !more.isEmpty else { return encode(bytes, by: transform, isFrame: false) }
        guard !bytes.isEmpty else { return encode(more, by: transform, isFrame: false) }
        guard bytes.count + more.count <= Self.joinedBytes else {
            return encode(bytes, by: transform, isFrame: false)
                && encode(more, by: transform, isFrame: false)
        }
        return loop.withScratch { joined in
            bytes.withUnsafeBytes { joined.append(contentsOf: $0) }
            more.withUnsafeBytes { joined.append(contentsOf: $0) }
            return encode(joined.span, by: transform, isFrame: false)
        }
    }

    /// Encodes what is small into the arena, and what is large right where it waits to be written.
    ///
    /// A second frame goes there as well: what is staged counts as one.
    func encode(
        _ bytes: Span<UInt8>,
        by transform: any ByteTransform,
        isFrame: Bool
    ) -> Bool {
        var isWhole = true
        if bytes.count <= Self.joinedBytes, outbox == nil, !isFrame || stagedCount == 0 {
            isWhole = loop.withScratch { wire in
                let isWhole = transform.encode(bytes, wire: &wire)
                wire.withUnsafeBytes { enqueue(copying: $0) }
                return isWhole
            }
        } else {
            let outbox = outboxAfterStaged()
            let most = transform.wireCount(of: bytes.count)
            queued += outbox.append(atMost: most, isFrame: isFrame) { wire in
                isWhole = transform.encode(bytes, wire: &wire)
            }
            loop.markDirty(self)
        }
        if !isWhole { abort() }
        return isWhole
    }

    /// What waits untransformed, behind all that is transformed.
    func untransformedAfterTransformed() -> Outbox {
        let waiting = untransformed ?? loop.takeOutbox()
        untransformed = waiting
        return waiting
    }

    /// Whether the next piece is due: behind a head that has not gone yet, or when all before it has.
    ///
    /// Not behind one that is written in part: the memory of what is written would stay.
    var isReadyForPiece: Bool {
        guard untransformed != nil else { return false }
        return queued == 0
            || queued < loop.limits.pieceBytes && (outbox?.spentBytes ?? 0) == 0
    }

    /// Transforms the next piece, and what ends the stream behind the last one.
    ///
    /// Aborts the connection when the stream is broken.
    func transformNextPiece() {
        guard let waiting = untransformed, let transform else { return }
        var isWhole = true
        untransformedBytes -= waiting.takeFirst(upTo: loop.limits.pieceBytes) { piece in
            let outbox = outboxAfterStaged()
            let most = transform.wireCount(of: piece.count)
            queued += outbox.append(atMost: most, isFrame: false) { wire in
                isWhole = transform.encode(piece, wire: &wire)
            }
        }
        guard isWhole else { return abort() }
        guard waiting.isEmpty else { return }
        dropUntransformed()
        if flags.contains(.closing) { finishTransform() }
    }

    func dropUntransformed() {
        guard let waiting = untransformed else { return }
        untransformed = nil
        untransformedBytes = 0
        loop.giveBack(waiting)
    }

    /// Queues what ends a transformed stream in good order.
    func finishTransform() {
        guard let transform else { return }
        loop.withScratch { wire in
            transform.finish(wire: &wire)
            wire.withUnsafeBytes { enqueue(copying: $0) }
        }
    }
}
