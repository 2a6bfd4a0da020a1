import EventLoops
import HatoTesting

/// A handler whose calls a test gives as closures, and which tells its end.
final class TestHandler: ConnectionHandler {
    var onBytes: (([UInt8], Connection) -> Void)?
    var onFinished: ((Connection) -> Void)?
    var onDeadline: ((Connection) -> Void)?
    var onDrained: ((Connection) -> Void)?
    var onOverflow: ((Connection) -> Void)?
    var onStopping: ((Connection) -> Void)?
    var onClosed: ((Connection) -> Void)?

    func received(_ bytes: Span<UInt8>, on connection: Connection) {
        onBytes?(bytes.withUnsafeBufferPointer { Array($0) }, connection)
    }

    func peerFinished(on connection: Connection) {
        if let onFinished { onFinished(connection) } else { connection.close() }
    }

    func deadlineReached(on connection: Connection) {
        if let onDeadline { onDeadline(connection) } else { connection.abort() }
    }

    func drained(on connection: Connection) {
        onDrained?(connection)
    }

    func overflowed(on connection: Connection) {
        onOverflow?(connection)
    }

    func stopping(on connection: Connection) {
        if let onStopping { onStopping(connection) } else { connection.close() }
    }

    func closed(on connection: Connection) {
        onClosed?(connection)
    }
}

extension TestHandler {
    /// A handler that sends back what comes.
    static func echo() -> TestHandler {
        let handler = TestHandler()
        handler.onBytes = { bytes, connection in connection.send(Frame(bytes)) }
        return handler
    }
}
