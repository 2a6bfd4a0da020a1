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
    private var budget: PatternBudget
    /// Whether nobody waits for an answer any more.
    var isOver: (@Sendable () -> Bool)?
    private var searchCount = 0

    /// A condition on a document of more bytes than this may take milliseconds.
    static let largeDocumentBytes = 4_096
    /// Searches between two looks at the clock.
    private static let searchesBetweenLooks = 16

    init(_ limits: PatternLimits) {
        self.budget = PatternBudget(limits)
    }

    /// Notes a failure when the time for the answer is over: what happens inside one document no
    /// database can end.
    mutating func checkTime() {
        if failure == nil, isOver?() == true {
            failure = DomainError(.unavailable, cause: "the list's time was over in a document")
        }
    }

    /// Whether the value at `start` is a string in which the pattern is found.
    mutating func finds(
        _ pattern: CompiledPattern,
        _ bytes: Span<UInt8>,
        at start: Int
    ) -> Bool {
        guard failure == nil, start < bytes.count, bytes[start] == 0x22 else { return false }
        searchCount &+= 1
        if searchCount % MatcherScratch.searchesBetweenLooks == 0 { checkTime() }
        let end = CanonicalJSON.endOfString(bytes, from: start) &- 1
        guard end > start else { return false }
        let inside = bytes.extracting(start &+ 1..<end)
        let outcome: CompiledPattern.Outcome
        var budget = self.budget
        if let escape = MatcherScratch.firstEscape(inside) {
            unescape(inside, from: escape)
            outcome = pattern.search(text.span, budget: &budget)
        } else {
            outcome = pattern.search(inside, budget: &budget)
        }
        self.budget = budget
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
