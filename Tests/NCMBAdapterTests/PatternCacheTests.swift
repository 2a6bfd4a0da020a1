import HatoWire
import ObjectModel
import Testing

@testable import NCMBAdapter

@Suite("PatternCache")
struct PatternCacheTests {
    private let limits = PatternLimits()

    @Test("keeps as many patterns as it may, and lets go of the one used longest ago")
    func dropsTheOldest() throws {
        let cache = PatternCache(patternLimit: 2)
        for text: Text in ["a", "b", "a", "c"] { _ = try cache.pattern(text, limits) }
        #expect(cache.texts == ["a", "c"])
        #expect(try cache.pattern("b", limits).text == "b")
        #expect(cache.texts == ["b", "c"])
    }

    @Test("keeps as much memory as it may")
    func limitsMemory() throws {
        let bytes = try Pattern("a").memoryBytes
        let cache = PatternCache(memoryLimitBytes: bytes)
        _ = try cache.pattern("a", limits)
        #expect(cache.texts == ["a"])
        _ = try cache.pattern("b", limits)
        #expect(cache.texts.count == 1)
        let tooSmall = PatternCache(memoryLimitBytes: bytes - 1)
        #expect(try tooSmall.pattern("a", limits).text == "a")
        #expect(tooSmall.texts.isEmpty)
        // What was let go of is not counted any more.
        _ = try tooSmall.pattern("", PatternLimits())
        _ = try cache.pattern("a", limits)
        #expect(cache.texts == ["a"])
    }

    @Test("does not remember what is no pattern")
    func badPatterns() {
        let cache = PatternCache()
        #expect(throws: DomainError(.invalidValue, "$regex")) {
            _ = try cache.pattern("(", limits)
        }
        #expect(cache.texts.isEmpty)
    }

    @Test("serves many threads")
    func threads() async throws {
        let cache = PatternCache(patternLimit: 3)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for turn in 0..<200 {
                        let text = Text("a{\((turn + task) % 5)}")
                        #expect((try? cache.pattern(text, PatternLimits()))?.text == text)
                    }
                }
            }
        }
        #expect(cache.texts.count <= 3)
    }
}
