import EventLoops

/// Counts failures for each key in a window of time that begins with the first of them.
///
/// Bounded: when too many keys are remembered, those that failed longest ago are forgotten. Any thread.
package final class FailureCounter<Key: Hashable & Sendable>: Sendable {
    package struct Limits: Sendable {
        package var failures: Int
        package var windowSeconds: Int
        /// Keys remembered at once.
        package var keys: Int

        package init(failures: Int, windowSeconds: Int, keys: Int) {
            self.failures = failures
            self.windowSeconds = windowSeconds
            self.keys = keys
        }
    }

    private struct Record {
        var failures: Int
        var firstMilliseconds: Int64
    }

    private let limits: Limits
    private let records = Guarded<[Key: Record]>([:])

    package init(limits: Limits) {
        self.limits = limits
    }

    /// Whether the key has no attempt left; `milliseconds` are of any one clock.
    package func isBlocked(_ key: Key, at milliseconds: Int64) -> Bool {
        records.withLock { records in
            guard let record = records[key], !isOver(record, milliseconds) else { return false }
            return record.failures >= limits.failures
        }
    }

    /// Counts a failure; false when the key had no attempt left already.
    package func count(_ key: Key, at milliseconds: Int64) -> Bool {
        records.withLock { records in
            guard var record = records[key], !isOver(record, milliseconds) else {
                makeRoom(in: &records, at: milliseconds)
                records[key] = Record(failures: 1, firstMilliseconds: milliseconds)
                return true
            }
            guard record.failures < limits.failures else { return false }
            record.failures += 1
            records[key] = record
            return true
        }
    }

    package func forget(_ key: Key) {
        records.withLock { _ = $0.removeValue(forKey: key) }
    }

    /// How many keys are remembered.
    package var keyCount: Int { records.withLock { $0.count } }

    private func isOver(_ record: Record, _ milliseconds: Int64) -> Bool {
        let age = milliseconds.subtractingReportingOverflow(record.firstMilliseconds)
        return age.overflow || age.partialValue >= Int64(limits.windowSeconds) * 1000
    }

    private func makeRoom(in records: inout [Key: Record], at milliseconds: Int64) {
        guard records.count >= limits.keys else { return }
        records = records.filter { !isOver($0.value, milliseconds) }
        // A tenth at once: the scan is then paid for by the failures that filled the table.
        let surplus = records.count - (limits.keys - max(1, limits.keys / 10))
        guard surplus > 0 else { return }
        let oldest = records.sorted { $0.value.firstMilliseconds < $1.value.firstMilliseconds }
        for (key, _) in oldest.prefix(surplus) { records[key] = nil }
    }
}
