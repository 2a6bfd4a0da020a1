import EventLoops
import HatoWire
import ObjectModel

/// The compiled patterns of the last queries, for all threads.
///
/// Apps send the same few patterns again and again, and compiling one costs more than the rest of
/// a small query. What was used longest ago goes first.
final class PatternCache: Sendable {
    private struct Entry {
        let pattern: Pattern
        var lastUse: Int
    }

    private struct Contents {
        var entries: [Text: Entry] = [:]
        var memoryBytes = 0
        var useCount = 0
    }

    private let patternLimit: Int
    private let memoryLimitBytes: Int
    private let contents = Guarded(Contents())

    init(patternLimit: Int = 256, memoryLimitBytes: Int = 8 * 1_048_576) {
        self.patternLimit = patternLimit
        self.memoryLimitBytes = memoryLimitBytes
    }

    /// The patterns that are kept, in order.
    var texts: [Text] { contents.withLock { $0.entries.keys.sorted() } }

    /// Returns the pattern, compiled now or before.
    ///
    /// Errors: those of `Pattern`; what is no pattern is not remembered.
    func pattern(_ text: Text, _ limits: PatternLimits) throws(DomainError) -> Pattern {
        if let pattern = contents.withLock({ PatternCache.find(text, in: &$0) }) { return pattern }
        // Outside the lock: others' patterns need not wait for this one.
        let pattern = try Pattern(text, limits: limits)
        let (patternLimit, memoryLimitBytes) = (patternLimit, memoryLimitBytes)
        contents.withLock {
            PatternCache.add(pattern, to: &$0)
            while $0.entries.count > patternLimit || $0.memoryBytes > memoryLimitBytes {
                guard PatternCache.dropOldest(of: &$0) else { break }
            }
        }
        return pattern
    }

    private static func find(_ text: Text, in contents: inout Contents) -> Pattern? {
        guard var entry = contents.entries[text] else { return nil }
        contents.useCount += 1
        entry.lastUse = contents.useCount
        contents.entries[text] = entry
        return entry.pattern
    }

    private static func add(_ pattern: Pattern, to contents: inout Contents) {
        contents.useCount += 1
        let entry = Entry(pattern: pattern, lastUse: contents.useCount)
        let old = contents.entries.updateValue(entry, forKey: pattern.text)
        contents.memoryBytes += pattern.memoryBytes - (old?.pattern.memoryBytes ?? 0)
    }

    private static func dropOldest(of contents: inout Contents) -> Bool {
        guard let oldest = contents.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return false
        }
        contents.entries[oldest.key] = nil
        contents.memoryBytes -= oldest.value.pattern.memoryBytes
        return true
    }
}
