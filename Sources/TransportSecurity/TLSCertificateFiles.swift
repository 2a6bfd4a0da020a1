package import EventLoops
package import Telemetry

/// TLS with a certificate and key that are read anew when their files change.
///
/// New connections get what was read last, old ones go on as they began. What can't be used changes
/// nothing and is told once.
package final class TLSCertificateFiles: Sendable {
    private struct State {
        var context: TLSContext
        /// What the files were when they were looked at last, good or bad.
        var marks: Marks
        /// When the context is made anew although nothing has changed.
        var renewal: ContinuousClock.Instant
    }

    private struct Marks: Equatable {
        var certificate: PEMFile.Mark?
        var key: PEMFile.Mark?
    }

    /// Keys of session tickets are used for so long: who gets hold of one reads no older session of
    /// TLS 1.2 than that.
    package static let ticketKeyAge = Duration.seconds(12 * 3_600)

    private let certificate: String
    private let key: String
    private let log: Log
    private let state: Guarded<State>

    /// Reads both files; what an operator should know of them is logged as a warning.
    package init(certificate: String, key: String, log: Log) throws(TLSFailure) {
        self.certificate = certificate
        self.key = key
        self.log = log
        let (context, marks) = try Self.read(certificate, key, log)
        state = Guarded(
            State(context: context, marks: marks, renewal: .now + Self.ticketKeyAge)
        )
    }

    /// Makes what stands between the socket of `connection` and its handler.
    ///
    /// Any thread.
    package func transform(for connection: Connection) -> any ByteTransform {
        let context = state.withLock { $0.context }
        // Without memory for its state the connection ends at its first byte.
        return TLSStream(context) ?? RefusedStream()
    }

    /// Looks at the files, and reads them when they have changed or `isForced`, or when the keys of
    /// tickets are old.
    ///
    /// Blocks for the time of the reading: not on a loop, and by one thread at a time.
    package func refresh(isForced: Bool = false, now: ContinuousClock.Instant = .now) {
        let marks = Marks(certificate: .of(certificate), key: .of(key))
        let isDue = state.withLock { state in
            let isDue = isForced || marks != state.marks || now >= state.renewal
            state.marks = marks
            if now >= state.renewal { state.renewal = now + Self.ticketKeyAge }
            return isDue
        }
        guard isDue else { return }
        do {
            let (context, marks) = try Self.read(certificate, key, log)
            state.withLock { state in
                state.context = context
                // Of the bytes that were read: a file that was replaced meanwhile is read again.
                state.marks = marks
                state.renewal = now + Self.ticketKeyAge
            }
            log.info("certificate read", ["file": certificate])
        } catch {
            log.error("certificate kept as it was", ["cause": error.description])
        }
    }

    private static func read(
        _ certificate: String,
        _ key: String,
        _ log: Log
    ) throws(TLSFailure) -> (TLSContext, Marks) {
        let read = try ServerCertificate(certificate: certificate, key: key)
        let context = try TLSContext(read)
        for warning in read.warnings { log.warning("look after TLS", ["cause": warning]) }
        return (context, Marks(certificate: read.certificateMark, key: read.keyMark))
    }
}
