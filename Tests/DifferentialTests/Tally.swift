/// How much was compared, and how much of it said anything.
struct Tally {
    private(set) var pairs = 0
    private(set) var questions = 0
    /// Pairs of a filter and a document that it matches.
    private(set) var matches = 0
    /// How often lists came by their rows in each way.
    private(set) var ways: [String: Int] = [:]

    /// Notes a filter that was asked of so many documents.
    mutating func count(pairs: Int, matches: Int) {
        self.pairs += pairs
        self.matches += matches
        questions += 1
    }

    mutating func add(ways more: [String: Int]) {
        ways.merge(more) { $0 + $1 }
    }

    mutating func add(_ other: Tally) {
        pairs += other.pairs
        questions += other.questions
        matches += other.matches
        add(ways: other.ways)
    }

    /// Of a hundred pairs of a filter and a document, in how many the filter matches the document.
    var matchPercent: Int { pairs == 0 ? 0 : matches * 100 / pairs }
}
