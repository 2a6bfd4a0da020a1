import Glibc
import HatoWire

/// What a matcher keeps from one condition and one document to the next: room, and how searches for
/// patterns went.
struct MatcherScratch: Sendable {
    var key: [UInt8] = []
    /// Which of a list's keys have been met.
    var found: [Bool] = []
    /// Why no answer of the matcher counts any more.
    private(set) var failure: DomainError?
    private var text: [UInt8] = []
    private var patternTime: Duration

    init(_ limits: PatternLimits) {
        self.patternTime = limits.time
    }

    /// Whether the value at `start` is a string in which the pattern is found.
    mutating func finds(
        _ pattern: CompiledPattern,
        _ bytes: Span<UInt8>,
        at start: Int
    ) -> Bool {
        guard failure == nil, start < bytes.count, bytes[start] == 0x22 else { return false }
        let end = CanonicalJSON.endOfString(bytes, from: start) &- 1
        guard end > start else { return false }
        let inside = bytes.extracting(start &+ 1..<end)
        let outcome: CompiledPattern.Outcome
        var time = patternTime
        if let escape = MatcherScratch.firstEscape(inside) {
            unescape(inside, from: escape)
            outcome = pattern.search(text.span, time: &time)
        } else {
            outcome = pattern.search(inside, time: &time)
        }
        patternTime = time
        switch outcome {
        case .found: return true
        case .absent: return false
        case .tooCostly:
            failure = Pattern.refusal
            return false
        }
    }

    private mutating func unescape(_ inside: Span<UInt8>, from escape: Int) {
        text.removeAll(keepingCapacity: true)
        JSONWriter.append(raw: inside.extracting(0..<escape), to: &text)
        var position = escape
        while position < inside.count {
            let character = JSONEscapes.next(inside, at: &position)
            for index in 0..<character.count { text.append(character.byte(index)) }
        }
    }

    private static func firstEscape(_ bytes: Span<UInt8>) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, 0x5C, bytes.count)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }
}
