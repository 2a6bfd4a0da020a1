/// The part of YAML that docker-compose.yml uses: block mappings and lists of scalars.
struct Compose {
    /// Path of keys, joined by dots, to its scalars: one for `key: value`, one an item for a list.
    let values: [String: [String]]

    init(_ file: Repository.File) {
        var values: [String: [String]] = [:]
        var open: [(indent: Int, key: String)] = []
        for line in file.lines {
            let content = line.drop { $0 == " " }
            guard let first = content.first, first != "#" else { continue }
            let indent = line.count - content.count
            open.removeAll { $0.indent >= indent }
            if content.hasPrefix("- ") {
                let path = open.map(\.key).joined(separator: ".")
                values[path, default: []].append(Compose.scalar(content.dropFirst(2)))
                continue
            }
            guard let colon = content.firstIndex(of: ":") else { continue }
            open.append((indent, String(content[..<colon])))
            let path = open.map(\.key).joined(separator: ".")
            let value = Compose.scalar(content[content.index(after: colon)...])
            values[path, default: []] += value.isEmpty ? [] : [value]
        }
        self.values = values
    }

    private static func scalar(_ text: Substring) -> String {
        let bare = text.drop { $0 == " " }
        return bare.hasPrefix("\"") && bare.hasSuffix("\"") && bare.count > 1
            ? String(bare.dropFirst().dropLast()) : String(bare)
    }
}

/// The instructions of a Dockerfile, continued lines joined, comments left out.
struct Dockerfile {
    struct Instruction {
        let name: String
        let argument: String
    }

    let instructions: [Instruction]

    init(_ file: Repository.File) {
        var found: [Instruction] = []
        var whole = ""
        for line in file.lines where !line.hasPrefix("#") {
            if line.hasSuffix("\\") {
                whole += line.dropLast()
                continue
            }
            whole += line
            let parts = whole.split(separator: " ", maxSplits: 1)
            if parts.count == 2 {
                found.append(Instruction(name: String(parts[0]), argument: String(parts[1])))
            }
            whole = ""
        }
        instructions = found
    }

    /// The instructions of the last stage: what is shipped.
    var shipped: [Instruction] {
        let from = instructions.lastIndex { $0.name == "FROM" } ?? 0
        return Array(instructions[from...])
    }
}
