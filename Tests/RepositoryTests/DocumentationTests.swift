import Testing

@Suite("Documentation")
struct DocumentationTests {
    private let repository = Repository()

    private func pages() throws -> [Repository.File] {
        try repository.files().filter { $0.kind == "md" }
    }

    /// The lines inside fenced blocks of one language.
    private func blocks(_ language: String, in page: Repository.File) -> [String] {
        var open: Substring?
        var found: [String] = []
        for line in page.lines {
            if line.hasPrefix("```") {
                open = open == nil ? line.dropFirst(3) : nil
            } else if let open, open == language {
                found.append(String(line))
            }
        }
        return found
    }

    @Test("every make command in a page is a target of the Makefile")
    func makeCommandsExist() throws {
        let targets = Set(
            try repository.file("Makefile").text.matches(of: /(?m)^([a-z]+):/).map { String($0.1) }
        )
        var named: Set<String> = []
        for page in try pages() {
            let inline = page.text.matches(of: /`make ([a-z]+)/).map { String($0.1) }
            let pasted = blocks("sh", in: page).compactMap { line in
                line.prefixMatch(of: /make ([a-z]+)/).map { String($0.1) }
            }
            named.formUnion(inline + pasted)
        }
        #expect(named.isSuperset(of: ["serve", "test", "build", "bench", "check"]))
        #expect(named.subtracting(targets) == [])
    }

    @Test("every target of the Makefile is described by make help")
    func targetsAreDescribed() throws {
        let makefile = try repository.file("Makefile")
        for line in makefile.lines where line.contains(/^[a-z]+:/) {
            #expect(line.contains(" ## "), "\(line)")
        }
    }

    @Test("the two front pages run the same commands")
    func translationRunsTheSame() throws {
        let commands = try ["README.md", "README.ja.md"].map { path in
            let page = try repository.file(path)
            return (blocks("sh", in: page) + blocks("js", in: page))
                .map { $0.split(separator: " # ").first.map(String.init) ?? "" }
                .map { String($0.reversed().drop { $0 == " " }.reversed()) }
        }
        #expect(commands[0] == commands[1])
        #expect(commands[0].count > 20)
    }

    @Test("the front pages offer only options that the program reads")
    func optionsExist() throws {
        // Settings of the server are flags by their names; all other options are spelled out.
        let sources = try repository.files(below: "Sources/HatoServer").map(\.text).joined()
        for path in ["README.md", "docs/compatibility.md"] {
            let page = try repository.file(path)
            let offered = page.lines
                .filter { $0.contains(/\bhato (?:serve|app|class|config|health)\b|^\| \d+ \|/) }
                .flatMap { $0.matches(of: /--([a-z-]+)/).map { String($0.1) } }
            #expect(!offered.isEmpty)
            for option in Set(offered) {
                let isRead =
                    sources.contains("\"--\(option)\"") || sources.contains("\"\(option)\"")
                #expect(isRead, "\(path) offers --\(option)")
            }
        }
    }

    @Test("every link to a file of the repository leads somewhere")
    func linksLead() throws {
        var broken: [String] = []
        for page in try pages() {
            let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
            for match in page.text.matches(of: /\]\(([^)#\s]+)[^)]*\)/) {
                let target = String(match.1)
                guard !target.contains("://") else { continue }
                let path = folder.isEmpty ? target : folder + "/" + target
                if !repository.exists(path) { broken.append("\(page.path): \(target)") }
            }
        }
        #expect(broken == [])
    }

    @Test("decisions are numbered without a gap and say context, choice, rejected, consequence")
    func decisionsAreWhole() throws {
        let decisions = try repository.files(below: "docs/decisions").filter {
            $0.name != "README.md"
        }
        for (index, page) in decisions.enumerated() {
            let number = index + 1
            #expect(page.name.hasPrefix("\(String(number + 10_000).dropFirst())-"))
            #expect(page.lines.first?.hasPrefix("# \(number). ") == true)
            let sections = page.lines.filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
            #expect(sections == ["Context", "Choice", "Rejected", "Consequence"], "\(page.path)")
        }
        #expect(decisions.count >= 7)
    }

    @Test("the licence is the whole Apache License 2.0")
    func licenceIsWhole() throws {
        let licence = try repository.file("LICENSE").text
        #expect(licence.contains("Version 2.0, January 2004"))
        #expect(licence.contains("END OF TERMS AND CONDITIONS"))
        #expect(licence.contains("APPENDIX: How to apply the Apache License to your work."))
    }
}
