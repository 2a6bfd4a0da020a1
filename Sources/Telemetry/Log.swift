/// Structured log lines with a level, written by one `sink` call a line.
///
/// A line is text (`2026-11-30T02:40:00.123Z warning accepting paused loop=0`) or one JSON object
/// (`{"time":…,"level":…,"message":…,"loop":"0"}`). Values never carry secrets or bodies: that is the
/// caller's duty. Cheap to copy; any thread.
package struct Log: Sendable {
    /// How grave a line is.
    package enum Level: UInt8, Sendable, Comparable {
        case debug, info, warning, error

        /// The level's name as it is written and configured.
        package var name: StaticString {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }

        package static func < (left: Level, right: Level) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// How a line is written.
    package enum Format: Sendable {
        case text, json
    }

    /// Lines below this level are dropped before they are built.
    package let threshold: Level
    private let format: Format
    private let wallMilliseconds: @Sendable () -> Int64
    private let sink: @Sendable ([UInt8]) -> Void

    /// Makes a log that hands each finished line, with its newline, to `sink`.
    package init(
        threshold: Level,
        format: Format,
        wallMilliseconds: @escaping @Sendable () -> Int64,
        sink: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.threshold = threshold
        self.format = format
        self.wallMilliseconds = wallMilliseconds
        self.sink = sink
    }

    /// Returns a log that drops every line.
    package static var silent: Log {
        Log(threshold: .error, format: .text, wallMilliseconds: { 0 }, sink: { _ in })
    }

    package func debug(_ message: StaticString, _ fields: KeyValuePairs<StaticString, String> = [:])
    {
        write(.debug, message, fields)
    }

    package func info(_ message: StaticString, _ fields: KeyValuePairs<StaticString, String> = [:])
    {
        write(.info, message, fields)
    }

    package func warning(
        _ message: StaticString,
        _ fields: KeyValuePairs<StaticString, String> = [:]
    ) {
        write(.warning, message, fields)
    }

    package func error(_ message: StaticString, _ fields: KeyValuePairs<StaticString, String> = [:])
    {
        write(.error, message, fields)
    }

    private func write(
        _ level: Level,
        _ message: StaticString,
        _ fields: KeyValuePairs<StaticString, String>
    ) {
        guard level >= threshold else { return }
        var line = LogLine(format: format)
        line.begin(atMilliseconds: wallMilliseconds(), level: level, message: message)
        for (name, value) in fields {
            line.append(name, value)
        }
        sink(line.finished())
    }
}
