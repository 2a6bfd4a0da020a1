/// The walk-through of the front page as one shell script.
struct Walkthrough {
    /// The blocks in their order, without those that only listen.
    let script: String

    /// Takes the page's section apart, for a server and a program of the test's own.
    init(_ page: Repository.File, section: String, port: Int, program: String) {
        var blocks: [[Substring]] = []
        var isInSection = false
        var isInBlock = false
        for line in page.lines {
            if line.hasPrefix("## ") { isInSection = line.dropFirst(3) == section }
            if line.hasPrefix("```") {
                isInBlock = isInSection && line == "```sh"
                if isInBlock { blocks.append([]) }
            } else if isInBlock {
                blocks[blocks.count - 1].append(line)
            }
        }
        script =
            blocks
            .filter { $0.first?.hasPrefix("npx ") == false }
            .map { $0.joined(separator: "\n") }
            .joined(separator: "\n")
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
            .replacing(".build/hato", with: program)
    }
}
