package import Telemetry

/// The one thread that writes a process's log lines: who does not read them stops it and no loop.
///
/// Lines wait in a bounded queue; what finds no room is dropped, and a line says how many were as
/// soon as one can be written again. Any thread.
package final class LogWriter: Sendable {
    /// What may wait to be written, the lines being written included.
    package static let queueLimitBytes = 1_048_576
    /// What a line counts beyond its bytes.
    package static let lineOverheadBytes = 64

    private struct Queue {
        var lines: [[UInt8]] = []
        var bytes = 0
        var dropped: UInt64 = 0
        var isClosed = false
        var hasEnded = false
    }

    private struct Batch {
        var lines: [[UInt8]]
        var bytes: Int
        var dropped: UInt64
    }

    private let queue = ThreadSignal(Queue())
    private let queueLimitBytes: Int
    private let thread: SystemThread

    /// Starts the thread, which hands each line to `sink`; that may wait as long as it likes.
    ///
    /// `format` and `wallMilliseconds` are those of the line that tells of dropped ones. Throws when
    /// the system gives no thread.
    package init(
        format: Log.Format,
        wallMilliseconds: @escaping @Sendable () -> Int64,
        queueLimitBytes: Int = LogWriter.queueLimitBytes,
        sink: @escaping @Sendable ([UInt8]) -> Void
    ) throws(LoopFailure) {
        self.queueLimitBytes = queueLimitBytes
        let queue = queue
        let notes = Log(
            threshold: .warning,
            format: format,
            wallMilliseconds: wallMilliseconds,
            sink: sink
        )
        thread = try SystemThread(name: "log") {
            Self.work(on: queue, notes: notes, sink: sink)
        }
    }

    /// Queues `line` or drops it; never waits for the sink.
    package func write(_ line: [UInt8]) {
        let cost = line.count + Self.lineOverheadBytes
        queue.change(wakesAll: true) { queue in
            guard !queue.isClosed else { return }
            guard cost <= queueLimitBytes - queue.bytes else {
                queue.dropped &+= 1
                return
            }
            queue.lines.append(line)
            queue.bytes += cost
        }
    }

    /// Takes no more lines and waits until those that were taken are written, at most `span`.
    ///
    /// Returns whether they are; if not, the thread stays behind in the sink. Once.
    @discardableResult
    package func close(within span: Duration) -> Bool {
        queue.change(wakesAll: true) { $0.isClosed = true }
        let due = LoopTime.monotonicNow() &+ span.clampedNanoseconds
        let hasEnded = queue.wait(untilNanoseconds: due) { $0.hasEnded ? true : nil }
        guard hasEnded != nil else {
            thread.leave()
            return false
        }
        thread.join()
        return true
    }

    private static func work(
        on queue: ThreadSignal<Queue>,
        notes: Log,
        sink: @Sendable ([UInt8]) -> Void
    ) {
        var written = 0
        while true {
            let next: Batch = queue.wait { queue in
                queue.bytes -= written
                written = 0
                let isIdle = queue.lines.isEmpty && queue.dropped == 0
                if isIdle, !queue.isClosed { return nil }
                defer {
                    queue.lines = []
                    queue.dropped = 0
                }
                return Batch(lines: queue.lines, bytes: queue.bytes, dropped: queue.dropped)
            }
            guard !next.lines.isEmpty || next.dropped > 0 else { break }
            for line in next.lines {
                sink(line)
            }
            if next.dropped > 0 {
                notes.warning("log lines were dropped", ["count": String(next.dropped)])
            }
            written = next.bytes
        }
        queue.change(wakesAll: true) { $0.hasEnded = true }
    }
}
