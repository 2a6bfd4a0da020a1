/// The floors of docs/ARCHITECTURE.md: its block ```` ```floors ````, one floor a line.
///
/// A line is a number and the rooms on that floor; `-` holds the C modules, below everything.
struct Floors {
    /// Room to floor; C modules are on floor −1.
    let floorOfRoom: [String: Int]

    init(_ page: Repository.File) {
        var floors: [String: Int] = [:]
        var isInside = false
        for line in page.lines {
            if line.hasPrefix("```") {
                isInside = line == "```floors"
                continue
            }
            let words = line.split(separator: " ")
            guard isInside, let first = words.first else { continue }
            for room in words.dropFirst() { floors[String(room)] = Int(first) ?? -1 }
        }
        floorOfRoom = floors
    }

    /// Returns the modules that a Swift file imports.
    static func imports(of file: Repository.File) -> [String] {
        let form =
            #/
            \s* (?: @\w+ (?: \( \w+ \) )? \s+ )*
            (?: (?: public | package | internal | fileprivate | private ) \s )?
            import \s
            (?: (?: struct | class | enum | func | protocol | typealias | let | var ) \s )?
            (\w+) .*
            /#
        return file.lines.compactMap { line in
            line.wholeMatch(of: form).map { String($0.1) }
        }
    }
}
