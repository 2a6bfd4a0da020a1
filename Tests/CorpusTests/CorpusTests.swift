import FuzzTargets
import Testing

@Suite("Corpora")
struct CorpusTests {
    @Test(
        "every invariant holds for every input that is kept",
        arguments: FuzzTarget.all.map(\.name)
    )
    func invariantsHold(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let corpus = try Corpus(name)
        #expect(corpus.inputs.count >= 10)
        for input in corpus.inputs {
            #expect(throws: Never.self, "\(name)/\(input.name)") { try target.check(input.bytes) }
        }
    }

    @Test("an input cut at any place breaks no invariant", arguments: FuzzTarget.all.map(\.name))
    func cutInputsHold(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for input in try Corpus(name).inputs where input.bytes.count <= 64 {
            for count in 0..<input.bytes.count {
                #expect(throws: Never.self, "\(count) bytes of \(name)/\(input.name)") {
                    try target.check(Array(input.bytes.prefix(count)))
                }
            }
        }
    }

    @Test(
        "a corpus is small enough to be replayed each time",
        arguments: FuzzTarget.all.map(\.name)
    )
    func corporaAreSmall(name: String) throws {
        let inputs = try Corpus(name).inputs
        #expect(inputs.count <= Corpus.inputLimit)
        #expect(inputs.reduce(0) { $0 + $1.bytes.count } <= Corpus.limitBytes)
        #expect(Set(inputs.map(\.bytes)).count == inputs.count, "an input is kept twice")
    }

    @Test("every folder of inputs belongs to a target")
    func foldersAreReplayed() throws {
        #expect(try Corpus.names() == FuzzTarget.all.map(\.name).sorted())
    }

    @Test("an invariant that does not hold is told")
    func violationsAreTold() {
        #expect(throws: Violation.self) { try hold(false, "nothing") }
        #expect(throws: Never.self) { try hold(true, "something") }
    }
}
