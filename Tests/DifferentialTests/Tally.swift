/// How much was compared, and how much of it said anything.
struct Tally {
    private(set) var pairs = 0
    private(set) var questions = 0
    /// Questions that at least one object answers.
    private(set) var hits = 0

    mutating func count(pairs: Int, isHit: Bool) {
        self.pairs += pairs
        questions += 1
        if isHit { hits += 1 }
    }

    mutating func add(_ other: Tally) {
        pairs += other.pairs
        questions += other.questions
        hits += other.hits
    }

    /// Of a hundred questions, how many find something.
    var hitPercent: Int { questions == 0 ? 0 : hits * 100 / questions }
}
