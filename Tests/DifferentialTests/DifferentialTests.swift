import Foundation
import HatoTesting
import HatoWire
import ObjectModel
import Testing

@testable import SQLiteStorage

/// The evaluators of queries against the reference in `Reference`.
///
/// `HATO_DIFFERENTIAL_PAIRS` is the number of (filter, document) pairs, `HATO_DIFFERENTIAL_SEED` the
/// first seed.
@Suite("Two evaluators and a reference")
struct DifferentialTests {
    private static let pairs = setting("HATO_DIFFERENTIAL_PAIRS") ?? 100_000
    private static let seed = UInt64(setting("HATO_DIFFERENTIAL_SEED") ?? 20_260_101)

    /// Lists that must have come by their rows in each way, so that the test has tested it.
    private static let leastWays = max(1, pairs / 100_000)

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test("the matcher and the sort key answer as the reference does")
    func memory() async throws {
        let className = try ClassName(dataStore: "Thing")
        var tally = Tally()
        var seed = DifferentialTests.seed
        while tally.pairs < DifferentialTests.pairs * 3 / 10 {
            let objects = DifferentialTests.subjects(seed: seed, count: 50)
            let prepared = objects.map { ($0, $0.stored) }
            var questions = try QuestionGenerator(seed: seed, className, objects)
            for _ in 0..<40 {
                let question = questions.question()
                let matching = Reference.matching(question.query.filter, objects)
                tally.count(pairs: objects.count, matches: matching.count)
                let expected = Reference.page(
                    question,
                    of: Reference.found(question, matching)
                )
                let actual = MemoryEvaluator.answer(question, prepared)
                guard actual != expected else { continue }
                try await report(seed, question, objects, expected, actual)
                return
            }
            seed += 1
        }
        DifferentialTests.tell("memory", DifferentialTests.seed..<seed, tally)
        #expect(tally.matchPercent >= 30)
    }

    @Test(
        "the store answers as the reference does, without indexes, while they are built, and with them",
        arguments: [(200, 30, 3, false), (1_200, 5, 2, false), (30, 14, 3, true)]
    )
    func store(objects: Int, questions: Int, share: Int, isTiny: Bool) async throws {
        var tally = Tally()
        var seed = DifferentialTests.seed &+ UInt64(objects) << 32
        let first = seed
        // A long run asks each store more, because filling it costs more than asking.
        let questions = questions * min(max(DifferentialTests.pairs / 500_000, 1), 8)
        while tally.pairs < DifferentialTests.pairs * share / 10 {
            let life = StoreLife(
                seed: seed,
                objectCount: objects,
                questionsPerState: questions,
                isTiny: isTiny
            )
            let outcome = try await life.live()
            tally.add(outcome.tally)
            if let difference = outcome.difference {
                Issue.record("\(difference)")
                return
            }
            seed += 1
        }
        DifferentialTests.tell("store of \(objects)", first..<seed, tally)
        // Of fewer questions it is chance that decides.
        if tally.questions >= 500 { #expect(tally.matchPercent >= 30) }
        guard isTiny else { return }
        for kind in ListWay.kinds {
            #expect(tally.ways[kind, default: 0] >= DifferentialTests.leastWays, "\(kind)")
        }
    }

    private static func tell(_ name: String, _ seeds: Range<UInt64>, _ tally: Tally) {
        print(
            "\(name): seeds \(seeds), \(tally.questions) questions, \(tally.pairs) pairs,"
                + " the filter matches the document in \(tally.matchPercent) %"
        )
        for (way, count) in tally.ways.sorted(by: { $0.key < $1.key }) {
            print("  \(way): \(count)")
        }
    }

    private static func subjects(seed: UInt64, count: Int) -> [Subject] {
        var documents = DocumentGenerator(seed: seed)
        return (0..<count).map { number in
            let created = Timestamp(millisecondsSinceEpoch: 1_767_225_600_000 + Int64(number / 4))
            let later = Timestamp(
                millisecondsSinceEpoch: created.millisecondsSinceEpoch + Int64(number % 3)
            )
            return Subject(
                number: number,
                fields: documents.fields(),
                acl: documents.acl(),
                id: Text("id\(number * 7 % count)"),
                row: Int64(number),
                created: created,
                updated: later
            )
        }
    }

    private func report(
        _ seed: UInt64,
        _ question: Question,
        _ objects: [Subject],
        _ expected: Answer,
        _ actual: Answer
    ) async throws {
        let trial: Shrinker.Trial = { question, objects in
            let expected = Reference.answer(question, objects)
            let actual = MemoryEvaluator.answer(question, objects)
            return expected == actual ? nil : (expected, actual)
        }
        let difference = Difference(
            evaluator: "memory",
            seed: seed,
            question: question,
            objects: objects,
            expected: expected,
            actual: actual
        )
        var shrinker = Shrinker()
        let smallest = try await shrinker.shrink(difference, asking: trial, rebuilding: trial)
        Issue.record("\(smallest)")
    }
}
