import HatoTesting
import ObjectModel
import SQLiteStorage

/// The life of one store: objects come, change and go while indexes come and go, and questions are
/// asked at each point.
struct StoreLife {
    /// What a life came to.
    struct Outcome {
        var tally = Tally()
        var difference: Difference?
    }

    let seed: UInt64
    let objectCount: Int
    let questionsPerState: Int
    /// Whether the planner's bounds are so small that few objects are many.
    var isTiny = false

    private static let course: [StoreHouse.Indexes] = [
        .absent, .building, .built, .built, .absent, .built,
    ]

    func live() async throws -> Outcome {
        let house = try StoreHouse(limits)
        var documents = DocumentGenerator(seed: seed)
        var random = SeededGenerator(seed: seed &+ 1)
        var objects: [Subject] = []
        var outcome = Outcome()
        for (step, indexes) in StoreLife.course.enumerated() {
            if step == 0 {
                objects = try await populate(house, &documents)
            } else {
                // Before and after: indexes are built over changes, and kept through them.
                try await edit(&objects, house, &documents, &random)
            }
            try await house.bring(indexes, objects)
            try await edit(&objects, house, &documents, &random)
            let complaints = indexes == .absent ? [] : try await house.complaints()
            guard complaints.isEmpty else {
                throw TestFailure.malformed("seed \(seed), \(indexes.rawValue): \(complaints)")
            }
            let questionSeed = seed &* 31 &+ UInt64(step)
            outcome.difference = try await ask(
                house,
                indexes,
                objects,
                QuestionGenerator(seed: questionSeed, house.className, objects),
                &outcome.tally
            )
            outcome.tally.add(ways: house.takeWays())
            if outcome.difference != nil { return outcome }
        }
        return outcome
    }

    /// What the planner goes by in this life: tiny bounds, often all the same.
    private var limits: StoreLimits {
        var limits = StoreLimits()
        guard isTiny else { return limits }
        var random = SeededGenerator(seed: seed &+ 2)
        let same = random.chance(60) ? random.pick([0, 1, 3]) : nil
        let bound = { (random: inout SeededGenerator) in same ?? random.pick([0, 1, 3, 10, 40]) }
        limits.planner.fewRows = bound(&random)
        limits.planner.visibleRows = bound(&random)
        limits.planner.sortableKeys = bound(&random)
        limits.planner.sampleRows = bound(&random)
        limits.planner.shortScan = bound(&random)
        limits.planner.visibilityMemory = random.pick([.zero, .seconds(3_600)])
        limits.placeHits = random.pick([0, 5, 50_000, 50_000])
        return limits
    }

    private func ask(
        _ house: StoreHouse,
        _ indexes: StoreHouse.Indexes,
        _ objects: [Subject],
        _ questions: QuestionGenerator,
        _ tally: inout Tally
    ) async throws -> Difference? {
        var questions = questions
        for _ in 0..<questionsPerState {
            let question = questions.question()
            let matching = Reference.matching(question.query.filter, objects)
            let found = Reference.found(question, matching)
            tally.count(pairs: objects.count, matches: matching.count)
            let expected = Reference.page(question, of: found)
            let actual = try await house.answer(question, objects)
            guard actual != expected else { continue }
            let difference = Difference(
                evaluator: "store of \(objectCount), \(indexes.rawValue)",
                seed: seed,
                question: question,
                objects: objects.sorted { $0.row < $1.row },
                expected: expected,
                actual: actual
            )
            var shrinker = Shrinker()
            return try await shrinker.shrink(
                difference,
                asking: { question, objects in
                    let expected = Reference.answer(question, objects)
                    let actual = try await house.answer(question, objects)
                    return expected == actual ? nil : (expected, actual)
                },
                rebuilding: { question, objects in
                    try await rebuild(question, objects, indexes)
                }
            )
        }
        return nil
    }

    /// Asks a fresh store that has these objects alone.
    private func rebuild(
        _ question: Question,
        _ objects: [Subject],
        _ indexes: StoreHouse.Indexes
    ) async throws -> (expected: Answer, actual: Answer)? {
        let house = try StoreHouse(limits)
        var subjects: [Subject] = []
        for object in objects {
            let draft = StoreHouse.Draft(
                number: object.number,
                fields: object.fields,
                acl: object.acl
            )
            subjects.append(try await house.create(draft))
        }
        try await house.bring(indexes, subjects)
        let expected = Reference.answer(question, subjects)
        let actual = try await house.answer(question, subjects)
        return expected == actual ? nil : (expected, actual)
    }

    private func populate(
        _ house: StoreHouse,
        _ documents: inout DocumentGenerator
    ) async throws -> [Subject] {
        var objects: [Subject] = []
        let batch = max(objectCount / 8, 1)
        while objects.count < objectCount {
            let numbers = objects.count..<min(objects.count + batch, objectCount)
            objects += try await house.create(StoreLife.drafts(numbers, &documents))
            house.advanceClock()
        }
        return objects
    }

    /// Updates a tenth of the objects, and replaces some by new ones, all at once.
    private func edit(
        _ objects: inout [Subject],
        _ house: StoreHouse,
        _ documents: inout DocumentGenerator,
        _ random: inout SeededGenerator
    ) async throws {
        // Concurrent creates end in any order; choices must not depend on it.
        objects.sort { $0.number < $1.number }
        objects.shuffle(using: &random)
        let touched = objectCount / 10
        let last = objects.map(\.number).max() ?? 0
        let drafts = StoreLife.drafts(last + 1..<last + 1 + touched / 2, &documents)
        let updates = objects.prefix(touched).map { subject in
            (subject, documents.changes(), random.chance(30) ? documents.acl() : nil)
        }
        let deleted = objects[touched..<touched + drafts.count]
        let kept = objects[(touched + drafts.count)...]
        async let created = house.create(drafts)
        let updated = try await withThrowingTaskGroup(of: Subject?.self) { group in
            for (subject, changes, acl) in updates {
                group.addTask { try await house.update(subject, changes, acl: acl) }
            }
            for subject in deleted {
                group.addTask {
                    try await house.delete(subject)
                    return nil
                }
            }
            return try await group.reduce(into: [Subject]()) { all, one in
                if let one { all.append(one) }
            }
        }
        objects = Array(kept) + updated + (try await created)
        house.advanceClock()
    }

    private static func drafts(
        _ numbers: Range<Int>,
        _ documents: inout DocumentGenerator
    ) -> [StoreHouse.Draft] {
        numbers.map {
            StoreHouse.Draft(number: $0, fields: documents.fields(), acl: documents.acl())
        }
    }
}
