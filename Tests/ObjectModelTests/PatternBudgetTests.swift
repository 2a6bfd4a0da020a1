import Testing

@testable import ObjectModel

@Suite("PatternBudget")
struct PatternBudgetTests {
    @Test("a search pays nothing within its free time, and past it the rest")
    func free() {
        for (time, price) in [(0, 0), (9, 0), (10, 0), (11, 1), (500_000, 499_990)] {
            let paid = PatternBudget.price(
                wallTime: Int64(time),
                processorTime: .max,
                free: 10
            )
            #expect(paid == Int64(price))
        }
    }

    @Test("a search past the time that may be trusted pays what the processor did, never more")
    func processor() {
        let wall = PatternBudget.doubtfulTime + 1
        let price = { PatternBudget.price(wallTime: wall, processorTime: $0, free: 10) }
        #expect(price(5) == 0)
        #expect(price(30) == 20)
        #expect(price(.max) == wall - 10)
    }

    @Test("is spent when nothing is left, not before")
    func spent() {
        #expect(PatternBudget(PatternLimits(time: .zero)).isSpent)
        let hour: Int64 = 3_600_000_000_000
        var budget = PatternBudget(PatternLimits(time: .nanoseconds(1), freeNanoseconds: hour))
        #expect(!budget.isSpent)
        budget.beginSearch(inTextOf: 10)
        #expect(!budget.isOver)
        budget.endSearch()
        #expect(!budget.isSpent)
        budget = PatternBudget(
            PatternLimits(time: .nanoseconds(1), freeNanoseconds: 0, freeNanosecondsPerByte: 0)
        )
        budget.beginSearch(inTextOf: 10)
        while !budget.isOver {}
        budget.endSearch()
        #expect(budget.isSpent)
    }

    @Test("a text up to the plain length has time by its bytes, a longer one for each look too")
    func freeTime() {
        let limits = PatternLimits(
            freeNanoseconds: 1_000,
            freeNanosecondsPerByte: 10,
            freeNanosecondsPerLook: 100,
            plainTextBytes: 512
        )
        #expect(limits.freeNanoseconds(inTextOf: 0) == 1_000)
        #expect(limits.freeNanoseconds(inTextOf: 512) == 1_000 + 5_120)
        #expect(limits.freeNanoseconds(inTextOf: 513) == 1_000 + 5_130 + 100)
    }
}
