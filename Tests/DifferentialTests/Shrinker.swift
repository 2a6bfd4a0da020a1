import ObjectModel

/// Makes a difference smaller as long as it stays one.
struct Shrinker {
    /// Asks both evaluators; nil when they agree.
    typealias Trial = (Question, [Subject]) async throws -> (expected: Answer, actual: Answer)?

    /// Trials that one difference is worth.
    private static let trialLimit = 400

    private var trialCount = 0

    /// Drops parts of the question, then objects, then their fields, then parts of the question again.
    mutating func shrink(
        _ difference: Difference,
        asking ask: Trial,
        rebuilding rebuild: Trial
    ) async throws -> Difference {
        var smallest = try await shrinkQuestion(difference, ask)
        let fewer = try await shrinkObjects(smallest, rebuild)
        if fewer.objects.count < smallest.objects.count {
            smallest = try await shrinkQuestion(try await shrinkFields(fewer, rebuild), rebuild)
        }
        return smallest
    }

    private mutating func shrinkQuestion(
        _ difference: Difference,
        _ trial: Trial
    ) async throws -> Difference {
        var smallest = difference
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for question in smallest.question.smaller {
                guard let answers = try await attempt(trial, question, smallest.objects) else {
                    continue
                }
                smallest.question = question
                (smallest.expected, smallest.actual) = answers
                isSmaller = true
                break
            }
        }
        return smallest
    }

    /// Drops halves, quarters, … and at last single objects.
    private mutating func shrinkObjects(
        _ difference: Difference,
        _ trial: Trial
    ) async throws -> Difference {
        var smallest = difference
        var size = smallest.objects.count
        while size >= 1 {
            var start = 0
            while start < smallest.objects.count {
                var objects = smallest.objects
                objects.removeSubrange(start..<min(start + size, objects.count))
                if let answers = try await attempt(trial, smallest.question, objects) {
                    smallest.objects = objects
                    (smallest.expected, smallest.actual) = answers
                } else {
                    start += size
                }
            }
            size /= 2
        }
        return smallest
    }

    private mutating func shrinkFields(
        _ difference: Difference,
        _ trial: Trial
    ) async throws -> Difference {
        var smallest = difference
        for index in smallest.objects.indices {
            for field in smallest.objects[index].fields.indices.reversed() {
                var objects = smallest.objects
                objects[index].fields.remove(at: field)
                if let answers = try await attempt(trial, smallest.question, objects) {
                    smallest.objects = objects
                    (smallest.expected, smallest.actual) = answers
                }
            }
        }
        return smallest
    }

    private mutating func attempt(
        _ trial: Trial,
        _ question: Question,
        _ objects: [Subject]
    ) async throws -> (expected: Answer, actual: Answer)? {
        guard trialCount < Shrinker.trialLimit else { return nil }
        trialCount += 1
        return try await trial(question, objects)
    }
}

extension Question {
    /// Questions that ask a little less.
    fileprivate var smaller: [Question] {
        var smaller: [Question] = []
        func add(_ change: (inout Question) -> Void) {
            var question = self
            change(&question)
            smaller.append(question)
        }
        for filter in query.filter.smaller { add { $0.query.filter = filter } }
        for index in query.order.indices { add { $0.query.order.remove(at: index) } }
        if query.skip > 0 { add { $0.query.skip = 0 } }
        if query.limit < 1_000 { add { $0.query.limit = 1_000 } }
        if query.wantsCount { add { $0.query.wantsCount = false } }
        if !principal.isAdministrator { add { $0.principal = .administrator } }
        return smaller
    }
}

extension Filter {
    /// Filters with a part less, or a part alone.
    fileprivate var smaller: [Filter] {
        switch self {
        case .all(let parts): parts + Filter.smaller(parts).map { .all($0) }
        case .any(let parts): parts + Filter.smaller(parts).map { .any($0) }
        case .field(let path, let condition): condition.smaller.map { .field(path, $0) }
        }
    }

    private static func smaller(_ parts: [Filter]) -> [[Filter]] {
        parts.indices.flatMap { index in
            var dropped = parts
            dropped.remove(at: index)
            let replaced = parts[index].smaller.map { part in
                var parts = parts
                parts[index] = part
                return parts
            }
            return [dropped] + replaced
        }
    }
}

extension FieldOperator {
    /// The same with an operand less.
    fileprivate var smaller: [FieldOperator] {
        func dropping(_ values: [Value]) -> [[Value]] {
            values.indices.map { index in
                var fewer = values
                fewer.remove(at: index)
                return fewer
            }
        }
        return switch self {
        case .isIn(let values): dropping(values).map { .isIn($0) }
        case .isNotIn(let values): dropping(values).map { .isNotIn($0) }
        case .containsAny(let values): dropping(values).map { .containsAny($0) }
        case .containsNone(let values): dropping(values).map { .containsNone($0) }
        case .containsAll(let values): dropping(values).map { .containsAll($0) }
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .exists, .matches,
            .near, .within:
            []
        }
    }
}
