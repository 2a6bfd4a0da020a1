import Testing

@Suite("Rules of the source")
struct SourceRulesTests {
    private let repository = Repository()

    @Test("no file of code is longer than 600 lines")
    func filesAreShort() throws {
        let code: Set = ["swift", "c", "h", "sql"]
        let long = try repository.files()
            .filter { code.contains($0.kind) || $0.path.hasPrefix("Scripts/") }
            .filter { $0.text.utf8.count(where: { $0 == 0x0A }) > 600 }
        #expect(long.map(\.path) == [])
    }

    @Test("no file names a place on somebody's machine")
    func pathsAreRelative() throws {
        let place = #/(?:^|[^\w.\-{}])/(?:home|root|Users|opt|work|mnt)/[\w.]/#
        var violations: [String] = []
        for file in try repository.files() {
            for (index, line) in file.lines.enumerated() where line.contains(place) {
                violations.append("\(file.path):\(index + 1)")
            }
        }
        #expect(violations == [])
    }

    @Test("no merge was left half done")
    func mergesAreWhole() throws {
        let marks = ["<<<<<<" + "< ", ">>>>>>" + "> "]
        var violations: [String] = []
        for file in try repository.files() {
            for (index, line) in file.lines.enumerated()
            where marks.contains(where: { line.hasPrefix($0) }) {
                violations.append("\(file.path):\(index + 1)")
            }
        }
        #expect(violations == [])
    }

    @Test("nothing is left for later in the code")
    func nothingIsPostponed() throws {
        let marker = /\b(?:TODO|FIXME|XXX|HACK)\b/
        let violations = try repository.files()
            .filter { ["swift", "c", "h", "sql"].contains($0.kind) }
            .filter { !$0.path.hasPrefix("Tests/RepositoryTests/") }
            .filter { $0.text.contains(marker) }
        #expect(violations.map(\.path) == [])
    }

    @Test("only the loops and the storage threads vouch for themselves, and say why")
    func uncheckedIsRare() throws {
        var violations: [String] = []
        for file in try repository.files(below: "Sources") where file.kind == "swift" {
            let isAllowed = ["Sources/EventLoops/", "Sources/SQLiteStorage/"]
                .contains { file.path.hasPrefix($0) }
            let lines = file.lines
            for (index, line) in lines.enumerated() {
                let code = line.split(separator: "//", maxSplits: 1).first ?? ""
                guard !line.contains(/^\s*\/\//), code.contains("@unchecked Sendable") else {
                    continue
                }
                let above = index > 0 ? lines[index - 1] : ""
                if !isAllowed || !above.contains("//") {
                    violations.append("\(file.path):\(index + 1)")
                }
            }
        }
        #expect(violations == [])
    }

    @Test("the gate can be run, and stops at the first failure")
    func gateIsHonest() throws {
        let gate = try repository.file(".ci/run")
        #expect(gate.text.hasPrefix("#!/usr/bin/env bash\n"))
        #expect(gate.lines.contains("set -euo pipefail"))
        let scripts = [
            "conformance", "coverage", "deps", "fuzz", "instructions", "measure", "page-check",
            "tls-check",
        ]
        for path in [".ci/run"] + scripts.map({ "Scripts/" + $0 }) {
            #expect(repository.isExecutable(path), "\(path) must be executable")
        }
    }
}
