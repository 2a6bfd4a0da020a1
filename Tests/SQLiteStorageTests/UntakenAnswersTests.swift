import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import SQLiteStorage

@Suite("Answers that no loop has taken")
struct UntakenAnswersTests {
    @Test("have a bound in all, which short ones and a single one do not meet")
    func bound() {
        let answers = UntakenAnswers(limit: 200_000)
        #expect(answers.add(UntakenAnswers.shortBytes))
        #expect(answers.bytes == 0)
        #expect(answers.add(100_000))
        #expect(answers.add(100_000))
        #expect(!answers.add(UntakenAnswers.shortBytes + 1))
        #expect(answers.bytes == 200_000)
        #expect(answers.add(UntakenAnswers.shortBytes))
        answers.take(UntakenAnswers.shortBytes)
        answers.take(100_000)
        answers.take(100_000)
        #expect(answers.bytes == 0)
        #expect(answers.add(1_000_000))
    }

    @Test("make long lists unavailable, not short ones, until they are taken")
    func lists() async throws {
        var limits = StoreLimits()
        limits.untakenListBytes = 200_000
        let room = try StoreRoom(limits: limits)
        let filling = Text(String(repeating: "x", count: 50_000))
        for n in 0..<3 {
            _ = try await room.create(.chat, [("n", .int(Int64(n))), ("s", .text(filling))])
        }
        #expect(room.threads.untaken.add(150_000))
        await #expect(throws: DomainError.self) { try await room.list() }
        #expect(try await room.list(limit: 1).numbers == [2])
        room.threads.untaken.take(150_000)
        #expect(try await room.list().numbers == [2, 1, 0])
        #expect(room.threads.untaken.bytes == 0)
    }
}
